"""Widths of columns, heights of rows, and groups of both."""
import _sheet
from openpyxl._refuse import refused
from openpyxl.utils import column_index_from_string, get_column_letter


def _refusing(name):
    def get(self):
        return None

    def put(self, value):
        if value:
            raise refused(f"{type(self).__name__}.{name}", "cells have styles, one by one")
    return property(get, put)


class _Dimension:
    """A column or a row."""
    __slots__ = ("_owner", "index")

    def __init__(self, ws, index):
        self._owner = ws
        self.index = index

    @property
    def hidden(self): return self._read()[1]

    @hidden.setter
    def hidden(self, value):
        self._put("hide", "hidden", bool(value))

    @property
    def outlineLevel(self): return self._read()[2]

    @outlineLevel.setter
    def outlineLevel(self, value):
        self._put("outline", "level", int(value))

    outline_level = outlineLevel
    collapsed = _refusing("collapsed")
    font = _refusing("font")
    fill = _refusing("fill")
    border = _refusing("border")
    alignment = _refusing("alignment")
    number_format = _refusing("number_format")


class ColumnDimension(_Dimension):
    __slots__ = ()

    def _read(self):
        return _sheet.column(self._owner._book, self._owner._name, column_index_from_string(self.index))

    def _put(self, op, name, value):
        self._owner._op({"op": f"{op}_columns", "columns": self.index, name: value})

    @property
    def width(self): return self._read()[0] or 13.0

    @width.setter
    def width(self, value):
        self._owner._op({"op": "column_width", "columns": self.index, "width": float(value)})

    @property
    def bestFit(self): return False

    @bestFit.setter
    def bestFit(self, value):
        if value:
            self._owner._op({"op": "fit_columns", "columns": self.index})

    auto_size = bestFit

    @property
    def customWidth(self): return self._read()[0] is not None


class RowDimension(_Dimension):
    __slots__ = ()

    def _read(self):
        return _sheet.row(self._owner._book, self._owner._name, self.index)

    def _put(self, op, name, value):
        self._owner._op({"op": f"{op}_rows", "first": self.index, "last": self.index, name: value})

    @property
    def height(self): return self._read()[0]

    @height.setter
    def height(self, value):
        if value is None:
            if self.height is not None:
                raise refused("taking the height of a row away")
            return
        self._owner._op({"op": "row_height", "first": self.index, "height": float(value)})

    ht = height


class Dimensions:
    """The columns or the rows of a sheet."""
    __slots__ = ("_owner", "_of")

    def __init__(self, ws, of):
        self._owner = ws
        self._of = of

    def __getitem__(self, key):
        if self._of is ColumnDimension:
            key = get_column_letter(key) if isinstance(key, int) else key.upper()
            column_index_from_string(key)
        elif not isinstance(key, int):
            raise TypeError("rows are numbers")
        return self._of(self._owner, key)

    def group(self, start, end=None, outline_level=1, hidden=False):
        end = start if end is None else end
        if self._of is ColumnDimension:
            columns = f"{start}:{end}"
            self._owner._op({"op": "outline_columns", "columns": columns, "level": outline_level})
            if hidden:
                self._owner._op({"op": "hide_columns", "columns": columns, "hidden": True})
        else:
            self._owner._op({"op": "outline_rows", "first": start, "last": end, "level": outline_level})
            if hidden:
                self._owner._op({"op": "hide_rows", "first": start, "last": end, "hidden": True})
