"""A workbook: its sheets and names."""
import _sheet
from openpyxl._refuse import Settings
from openpyxl.styles import _BUILTIN
from openpyxl.workbook.defined_name import Names
from openpyxl.worksheet.worksheet import Worksheet


class _Properties(Settings):
    """Nothing of it is kept, so nothing can be set."""

    def __init__(self, what):
        self._start(what)


class _Calculation(Settings):
    """Formulas are calculated when the program has ended, whatever it says."""
    _known = {"fullCalcOnLoad": None}

    def __init__(self, what):
        self._start(what)


class Workbook:
    __slots__ = ("_book", "_values", "_list", "_active", "_styles", "_doomed", "properties", "calculation", "security",
                 "views", "epoch", "loaded_theme", "path", "template", "encoding", "iso_dates")

    def __init__(self, write_only=False, iso_dates=False):
        self._start(_sheet.new(), False)

    def _start(self, book, values):
        self._book = book
        self._values = values
        self._styles = {}
        self._doomed = None
        self._active = 0
        self.properties = _Properties("wb.properties")
        self.calculation = _Calculation("wb.calculation")
        self.security = _Properties("wb.security")
        self.views = _Properties("wb.views")
        self.path = "/xl/workbook.xml"
        self._list = [Worksheet(self, name) for name, _, _ in _sheet.sheets(book)]
        for at, (_, hidden, grid) in enumerate(_sheet.sheets(book)):
            if not hidden and grid:
                self._active = at
                break

    def _free(self, name, own=None):
        """A name that no other sheet has."""
        taken = [ws._name.lower() for ws in self._list if ws is not own]
        found, number = name, 0
        while found.lower() in taken:
            number += 1
            found = f"{name}{number}"
        return found

    @property
    def sheetnames(self): return [ws._name for ws in self._list]

    @property
    def worksheets(self): return list(self._list)

    @property
    def active(self):
        if not self._list:
            return None
        return self._list[min(self._active, len(self._list) - 1)]

    @active.setter
    def active(self, value):
        self._active = value if isinstance(value, int) else self._list.index(value)
        _sheet.op(self._book, {"op": "activate", "sheet": self._list[self._active]._name})

    @property
    def defined_names(self): return Names(self._book)

    @property
    def named_styles(self):
        known = _sheet.styles(self._book) or ["Normal"]
        return known + [name for name in self._styles if name not in known]

    @property
    def data_only(self): return self._values

    @property
    def chartsheets(self): return []

    def __getitem__(self, name):
        for ws in self._list:
            if ws._name == name:
                return ws
        raise KeyError(f"Worksheet {name} does not exist.")

    def __contains__(self, name): return name in self.sheetnames
    def __iter__(self): return iter(self.worksheets)
    def __len__(self): return len(self._list)
    def __delitem__(self, name): self.remove(self[name])
    def get_sheet_by_name(self, name): return self[name]
    def get_sheet_names(self): return self.sheetnames
    def index(self, worksheet): return self._list.index(worksheet)
    def get_index(self, worksheet): return self._list.index(worksheet)

    def create_sheet(self, title=None, index=None):
        name = self._free("Sheet" if title is None else str(title))
        if index is not None and index < 0:
            index = max(0, len(self._list) + index)
        op = {"op": "add_sheet", "name": name}
        if index is not None and index < len(self._list):
            op["at"] = index
        if self._doomed is not None and self._doomed._name.lower() == name.lower():
            _sheet.op(self._book, {"op": "rename_sheet", "sheet": self._doomed._name, "name": "_removed"})
            self._doomed._name = "_removed"
        _sheet.op(self._book, op)
        ws = Worksheet(self, name)
        self._list.insert(len(self._list) if index is None else index, ws)
        if self._doomed is not None:
            _sheet.op(self._book, {"op": "delete_sheet", "sheet": self._doomed._name})
            self._doomed = None
        return ws

    def remove(self, worksheet):
        at = self._list.index(worksheet)
        # The last sheet goes when there is another one.
        if len(self._list) == 1:
            self._doomed = worksheet
        else:
            _sheet.op(self._book, {"op": "delete_sheet", "sheet": worksheet._name})
        self._list.pop(at)
        if self._active >= len(self._list):
            self._active = max(0, len(self._list) - 1)

    remove_sheet = remove

    def copy_worksheet(self, from_worksheet):
        name = self._free(from_worksheet._name + " Copy")
        _sheet.op(self._book, {"op": "copy_sheet", "sheet": from_worksheet._name, "name": name})
        ws = Worksheet(self, name)
        _sheet.op(self._book, {"op": "move_sheet", "sheet": name, "to": len(self._list)})
        self._list.append(ws)
        return ws

    def move_sheet(self, sheet, offset=0):
        ws = sheet if isinstance(sheet, Worksheet) else self[sheet]
        at = self._list.index(ws)
        to = max(0, min(len(self._list) - 1, at + offset))
        _sheet.op(self._book, {"op": "move_sheet", "sheet": ws._name, "to": to})
        self._list.insert(to, self._list.pop(at))

    def add_named_style(self, style):
        self._styles[style.name] = style

    def _define_style(self, name):
        """The style with this name is in the workbook, or it is not known at all."""
        if name in _sheet.styles(self._book):
            return
        if name in self._styles:
            _sheet.op(self._book, {"op": "define_style", "name": name, "style": self._styles[name]._style()})
        elif name in _BUILTIN:
            number, style = _BUILTIN[name]
            op = {"op": "define_style", "name": name, "style": style}
            if number is not None:
                op["builtin"] = number
            _sheet.op(self._book, op)
        else:
            known = list(_BUILTIN) + [name for name in self.named_styles if name not in _BUILTIN]
            raise ValueError(f"{name} is not a known style; there are: {', '.join(known)}")

    def create_named_range(self, name, worksheet=None, value=None, scope=None):
        text = value if worksheet is None else f"'{worksheet._name}'!{value}"
        if scope is not None:
            self._list[scope].defined_names[name] = text
        else:
            self.defined_names[name] = text

    def save(self, filename=None):
        if self._doomed is not None:
            raise IndexError("At least one sheet must be visible")
        self._flush()
        _sheet.save(self._book)

    def _flush(self):
        for ws in self._list:
            ws._flush()

    def close(self):
        pass

    def __repr__(self):
        return f"<Workbook {self.sheetnames}>"


_known = {}


def _finish():
    """What a program has added and not saved is made at its end."""
    for (book, values), workbook in _known.items():
        if book == 0 and not values:
            workbook._flush()



def _opened(book, values):
    """The workbook that the program was given; the same object every time."""
    if (book, values) not in _known:
        made = object.__new__(Workbook)
        made._start(book, values)
        _known[(book, values)] = made
    return _known[(book, values)]
