"""Tables with a name. A table that is added is made when the workbook is saved, so that what a
program says about it afterwards counts."""
import _sheet
from openpyxl._refuse import refused


class TableStyleInfo:
    def __init__(self, name=None, showFirstColumn=None, showLastColumn=None, showRowStripes=None, showColumnStripes=None):
        self.name = name
        self.showFirstColumn = showFirstColumn
        self.showLastColumn = showLastColumn
        self.showRowStripes = showRowStripes
        self.showColumnStripes = showColumnStripes


class TableColumn:
    def __init__(self, id=None, name=None):
        self.id = id
        self.name = name


class Table:
    def __init__(self, id=1, displayName=None, ref=None, name=None, comment=None, tableType=None, headerRowCount=1,
                 totalsRowCount=None, totalsRowShown=None, tableStyleInfo=None, autoFilter=None, **others):
        object.__setattr__(self, "_ws", None)
        if headerRowCount != 1 or totalsRowCount or totalsRowShown:
            raise refused("a Table without a header or with a row of totals")
        for key in list(others) + [key for key, value in (("comment", comment), ("tableType", tableType), ("autoFilter", autoFilter)) if value]:
            raise refused(f"Table({key})")
        if displayName is None and name is None:
            raise ValueError("a table needs a displayName")
        object.__setattr__(self, "displayName", displayName or name)
        object.__setattr__(self, "name", name or displayName)
        object.__setattr__(self, "ref", ref)
        object.__setattr__(self, "tableStyleInfo", tableStyleInfo)
        object.__setattr__(self, "headerRowCount", 1)

    def __setattr__(self, name, value):
        if name not in ("displayName", "name", "ref", "tableStyleInfo"):
            raise refused(f"Table.{name}", "there are: displayName, ref, tableStyleInfo")
        ws = self._ws
        if ws is not None:
            if name != "ref":
                raise refused(f"changing {name} of a table that is there", "only ref can be changed")
            ws._op({"op": "resize_table", "table": self.displayName, "area": str(value).replace("$", "")})
        object.__setattr__(self, name, value)

    @property
    def column_names(self):
        if self._ws is None:
            return []
        return [column for name, _, _, columns in self._ws._info()["tables"] if name == self.displayName for column in columns]

    def _emit(self, ws):
        table = {"name": self.displayName, "area": str(self.ref).replace("$", "")}
        style = self.tableStyleInfo
        if style is not None and style.name:
            table["style"] = {
                "name": style.name, "row_stripes": bool(style.showRowStripes), "column_stripes": bool(style.showColumnStripes),
                "first_column": bool(style.showFirstColumn), "last_column": bool(style.showLastColumn),
            }
        ws._op({"op": "add_table", "table": table})
        object.__setattr__(self, "_ws", ws)

    def __repr__(self):
        return f"<Table {self.displayName} {self.ref}>"


class Tables:
    """The tables of a sheet by their names."""
    __slots__ = ("_owner",)

    def __init__(self, ws):
        self._owner = ws

    def _all(self):
        found = {}
        for name, area, style, _ in self._owner._info()["tables"]:
            table = Table(displayName=name, ref=area, tableStyleInfo=TableStyleInfo(name=style) if style else None)
            object.__setattr__(table, "_ws", self._owner)
            found[name] = table
        for kind, thing in self._owner._later:
            if kind == "table":
                found[thing.displayName] = thing
        return found

    def __getitem__(self, name): return self._all()[name]
    def __contains__(self, name): return name in self._all()
    def __iter__(self): return iter(self._all())
    def __len__(self): return len(self._all())
    def keys(self): return self._all().keys()
    def values(self): return self._all().values()
    def items(self): return [(name, table.ref) for name, table in self._all().items()]
    def get(self, name=None, table_range=None): return self._all().get(name)
    def add(self, table): self._owner.add_table(table)

    def __delitem__(self, name):
        raise refused("deleting a table", "its cells can be cleared")
