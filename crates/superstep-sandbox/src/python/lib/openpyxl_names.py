"""Names for cells and formulas, of a workbook or of one sheet."""
import _sheet
from openpyxl._refuse import refused


class DefinedName:
    def __init__(self, name=None, attr_text=None, localSheetId=None, comment=None, hidden=None, value=None, **others):
        for key, given in (("comment", comment), ("hidden", hidden), *others.items()):
            if given:
                raise refused(f"DefinedName({key})")
        if localSheetId is not None:
            raise refused("DefinedName(localSheetId)", "use ws.defined_names for names of one sheet")
        self.name = name
        self._owner = None
        self._text = attr_text or value

    @property
    def attr_text(self):
        return self._text

    @attr_text.setter
    def attr_text(self, text):
        self._text = text
        # One that is in a workbook already changes there.
        if self._owner is not None:
            self._owner[self.name] = text

    @property
    def value(self):
        return self._text

    @value.setter
    def value(self, text):
        self.attr_text = text

    @property
    def destinations(self):
        for part in self.attr_text.split(","):
            sheet, _, area = part.rpartition("!")
            yield (sheet.strip("'").replace("''", "'"), area)

    def __repr__(self):
        return f"<DefinedName {self.name} {self.attr_text}>"


class Names:
    __slots__ = ("_book", "_owner")

    def __init__(self, book, ws=None):
        self._book = book
        self._owner = ws

    def _all(self):
        found = _sheet.names(self._book) if self._owner is None else _sheet.names(self._book, self._owner._name)
        made = {}
        for name, text in found.items():
            if not name.startswith("_xlnm."):
                made[name] = DefinedName(name, text)
                made[name]._owner = self
        return made

    def __getitem__(self, name): return self._all()[name]
    def __contains__(self, name): return name in self._all()
    def __iter__(self): return iter(self._all())
    def __len__(self): return len(self._all())
    def keys(self): return self._all().keys()
    def values(self): return self._all().values()
    def items(self): return self._all().items()
    def get(self, name, default=None): return self._all().get(name, default)

    def _op(self, op):
        if self._owner is not None:
            op["sheet"] = self._owner._name
        _sheet.op(self._book, op)

    def __setitem__(self, name, value):
        text = value.attr_text if isinstance(value, DefinedName) else value
        self._op({"op": "define_name", "name": name, "refers_to": text})

    def add(self, value): self[value.name] = value
    def append(self, value): self[value.name] = value
    def __delitem__(self, name): self._op({"op": "delete_name", "name": name})
