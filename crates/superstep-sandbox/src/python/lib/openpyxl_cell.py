"""Cells: their values and looks, their comments and links."""
import _sheet
import datetime as _dt
from openpyxl._values import _read, _set, _write
from openpyxl.comments import Comment
from openpyxl.styles import (
    Alignment, Border, Font, NamedStyle, PatternFill, Protection, _BUILTIN, _alignment_of, _border_of, _fill_of, _font_of,
)
from openpyxl.styles.numbers import is_date_format
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.hyperlink import Hyperlink

# What a number is shown as that was set as a time; dates have theirs from the workbook.
_TIMES = {_dt.time: "h:mm:ss", _dt.timedelta: "[hh]:mm:ss"}


class Cell:
    __slots__ = ("parent", "row", "column")

    def __init__(self, worksheet, row=None, column=None, value=None):
        self.parent = worksheet
        self.row = row
        self.column = column
        if value is not None:
            self.value = value

    @property
    def value(self):
        ws = self.parent
        value = _sheet.get(ws._book, ws._name, self.row, self.column, ws._values)
        if type(value) is not tuple:
            return value
        code = self.number_format.lower()
        if any(unit in code for unit in ("[h", "[m", "[s")):
            return _dt.timedelta(seconds=round(value[1] * 86400, 3))
        return _read(value)

    @value.setter
    def value(self, value):
        ws = self.parent
        if value is None or type(value) in (str, int, float, bool):
            _set(ws._book, ws._name, self.row, self.column, value)
            return
        _set(ws._book, ws._name, self.row, self.column, _write(value))
        code = _TIMES.get(type(value))
        if code is not None and not is_date_format(self.number_format):
            self.number_format = code

    @property
    def coordinate(self):
        return f"{get_column_letter(self.column)}{self.row}"

    @property
    def column_letter(self):
        return get_column_letter(self.column)

    @property
    def col_idx(self):
        return self.column

    @property
    def data_type(self):
        value = self.value
        if isinstance(value, bool):
            return "b"
        if value is None or isinstance(value, (int, float)):
            return "n"
        if isinstance(value, (_dt.date, _dt.time)):
            return "d"
        if value.startswith("="):
            return "f"
        return "e" if value in ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!") else "s"

    @property
    def is_date(self):
        return isinstance(self.value, (_dt.date, _dt.time))

    def _look(self):
        return _sheet.look(self.parent._book, self.parent._name, self.row, self.column)

    def _change(self, style):
        if style:
            _sheet.format(self.parent._book, self.parent._name, self.row, self.column, style)

    def _replace(self, part):
        """A part of a style takes the place of the whole old one: what it does not say is as usual."""
        style = part._style()
        look = self._look()
        for name, usual in part._usual(self.parent._book).items():
            if name in look and name not in style:
                style[name] = usual
        self._change(style)

    @property
    def font(self): return _font_of(self._look())._freeze()

    @font.setter
    def font(self, value): self._replace(value)

    @property
    def fill(self): return _fill_of(self._look())._freeze()

    @fill.setter
    def fill(self, value): self._replace(value)

    @property
    def border(self): return _border_of(self._look())._freeze()

    @border.setter
    def border(self, value): self._replace(value)

    @property
    def alignment(self): return _alignment_of(self._look())._freeze()

    @alignment.setter
    def alignment(self, value): self._replace(value)

    @property
    def protection(self): return Protection(locked=self._look().get("locked", True), hidden=False)._freeze()

    @protection.setter
    def protection(self, value): self._replace(value)

    @property
    def number_format(self): return self._look().get("number_format", "General")

    @number_format.setter
    def number_format(self, value): self._change({"number_format": value})

    @property
    def has_style(self): return bool(self._look())

    @property
    def style(self): return self._look().get("named", "Normal")

    @style.setter
    def style(self, value):
        wb = self.parent._wb
        if isinstance(value, NamedStyle):
            if value.name not in wb._styles:
                wb.add_named_style(value)
            value = value.name
        if value == "Normal":
            self._style = None
            return
        wb._define_style(value)
        self._change({"named": value})

    @property
    def _style(self): return _StyleOf(self.parent._book, self.parent._name, self.coordinate, self._look())

    @_style.setter
    def _style(self, value):
        like = {"op": "format_like", "area": self.coordinate}
        if value is not None:
            if value._book != self.parent._book:
                self._style = None
                self._change(value._look)
                return
            like["from"] = value._cell
            like["from_sheet"] = value._sheet
        self.parent._op(like)

    @property
    def hyperlink(self):
        for kind, at, what in self.parent._features():
            if kind == "link" and at == self.coordinate:
                address, _, tooltip = what.partition(", ")
                inside = address.startswith("#")
                return Hyperlink(at, location=address[1:] if inside else None, target=None if inside else address,
                                 tooltip=tooltip.strip('"') or None)
        return None

    @hyperlink.setter
    def hyperlink(self, value):
        if value is None:
            if self.hyperlink is not None:
                self.parent._op({"op": "unlink", "cell": self.coordinate})
            return
        link = value if isinstance(value, Hyperlink) else Hyperlink(target=str(value))
        address = link._address()
        op = {"op": "link", "cell": self.coordinate, "address": address}
        if link.tooltip:
            op["tooltip"] = str(link.tooltip)
        self.parent._op(op)
        if self.value is None:
            self.value = link.display or link.target or link.location

    @property
    def comment(self):
        found = _sheet.comment(self.parent._book, self.parent._name, self.row, self.column)
        return None if found is None else Comment(*found)

    @comment.setter
    def comment(self, value):
        if value is None:
            if self.comment is not None:
                self.parent._op({"op": "comment", "cell": self.coordinate, "comment": None})
            return
        if not isinstance(value, Comment):
            raise TypeError(f"expected Comment, not {value!r}")
        self.parent._op({"op": "comment", "cell": self.coordinate, "comment": {"text": value.text, "author": value.author}})

    def offset(self, row=0, column=0):
        return self.parent.cell(self.row + row, self.column + column)

    def __repr__(self):
        return f"<Cell {self.parent.title!r}.{self.coordinate}>"

    def __eq__(self, other):
        return isinstance(other, Cell) and self.row == other.row and self.column == other.column and self.parent is other.parent

    def __hash__(self):
        return hash((self.parent.title, self.row, self.column))


class _StyleOf:
    """The whole style of a cell, for another one."""

    def __init__(self, book, sheet, cell, look):
        self._book = book
        self._sheet = sheet
        self._cell = cell
        self._look = look

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __eq__(self, other):
        return isinstance(other, _StyleOf) and self._look == other._look

    def __hash__(self):
        return hash(repr(self._look))


class MergedCell(Cell):
    __slots__ = ()

    @property
    def value(self):
        return None

    @value.setter
    def value(self, value):
        raise AttributeError(f"'MergedCell' object attribute 'value' is read-only; {self.coordinate} is part of merged cells")
