"""A sheet: cells and ranges, and what surrounds them."""
import _sheet
from openpyxl._refuse import refused
from openpyxl._values import _read
from openpyxl.cell import Cell, MergedCell
from openpyxl.utils import column_index_from_string, coordinate_to_tuple, get_column_letter, range_boundaries
from openpyxl.workbook.defined_name import Names
from openpyxl.worksheet.cell_range import MergedRanges
from openpyxl.worksheet.datavalidation import DataValidationList
from openpyxl.worksheet.dimensions import ColumnDimension, Dimensions, RowDimension
from openpyxl.worksheet.filters import AutoFilter, ConditionalFormattingList
from openpyxl.worksheet.page import (
    HeaderFooterItem, PrintOptions, PrintPageSetup, SheetFormat, SheetProperties, SheetProtection, SheetView, _margins,
)
from openpyxl.worksheet.table import Tables


class Worksheet:
    __slots__ = ("_wb", "_book", "_name", "_values", "_parts", "_later", "_appended")

    ORIENTATION_PORTRAIT = "portrait"
    ORIENTATION_LANDSCAPE = "landscape"
    PAPERSIZE_LETTER = "1"
    PAPERSIZE_TABLOID = "3"
    PAPERSIZE_LEGAL = "5"
    PAPERSIZE_EXECUTIVE = "7"
    PAPERSIZE_A3 = "8"
    PAPERSIZE_A4 = "9"
    PAPERSIZE_A5 = "11"
    SHEETSTATE_VISIBLE = "visible"
    SHEETSTATE_HIDDEN = "hidden"
    SHEETSTATE_VERYHIDDEN = "veryHidden"

    def __init__(self, wb, name):
        self._wb = wb
        self._book = wb._book
        self._name = name
        self._values = wb._values
        self._parts = {}
        self._later = []
        # The last row that was appended, which may be empty.
        self._appended = 0

    def _op(self, op):
        op["sheet"] = self._name
        self._parts.pop("merged", None)
        _sheet.op(self._book, op)

    def _info(self):
        return _sheet.info(self._book, self._name)

    def _features(self):
        return _sheet.features(self._book, self._name)

    def _part(self, name, make):
        if name not in self._parts:
            self._parts[name] = make()
        return self._parts[name]

    @property
    def title(self): return self._name

    @title.setter
    def title(self, value):
        if value != self._name:
            value = self._wb._free(str(value), self)
            _sheet.op(self._book, {"op": "rename_sheet", "sheet": self._name, "name": value})
            self._name = value

    @property
    def parent(self): return self._wb

    @property
    def max_row(self): return _sheet.last_row(self._book, self._name) or 1

    @property
    def max_column(self): return self._info()["max_column"]

    @property
    def min_row(self): return self._info()["min_row"]

    @property
    def min_column(self): return self._info()["min_column"]

    @property
    def dimensions(self):
        info = self._info()
        return f"{get_column_letter(info['min_column'])}{info['min_row']}:{get_column_letter(info['max_column'])}{info['max_row']}"

    def calculate_dimension(self): return self.dimensions

    @property
    def column_dimensions(self): return Dimensions(self, ColumnDimension)

    @property
    def row_dimensions(self): return Dimensions(self, RowDimension)

    @property
    def merged_cells(self): return MergedRanges(self)

    @property
    def merged_cell_ranges(self): return self.merged_cells.ranges

    @property
    def auto_filter(self): return AutoFilter(self)

    @property
    def conditional_formatting(self): return ConditionalFormattingList(self)

    @property
    def tables(self): return Tables(self)

    @property
    def _charts(self): return [None] * self._info()["drawings"] + [thing for kind, thing in self._later if kind == "chart"]

    @property
    def freeze_panes(self): return self._info()["freeze"]

    @freeze_panes.setter
    def freeze_panes(self, value):
        cell = value.coordinate if isinstance(value, Cell) else value
        self._op({"op": "freeze", "cell": None if cell in (None, "A1") else cell})

    @property
    def sheet_state(self):
        for name, hidden, _ in _sheet.sheets(self._book):
            if name == self._name:
                return "hidden" if hidden else "visible"

    @sheet_state.setter
    def sheet_state(self, value):
        if value == "veryHidden":
            raise refused("the sheet state veryHidden", "use hidden")
        self._op({"op": "hide_sheet", "hidden": value != "visible"})

    def _kept(name, make):
        def get(self):
            return self._part(name, lambda: make(self))

        def put(self, value):
            raise refused(f"replacing ws.{name}", f"set the attributes of ws.{name}")
        return property(get, put)

    page_setup = _kept("page_setup", PrintPageSetup)
    print_options = _kept("print_options", PrintOptions)
    sheet_view = _kept("sheet_view", SheetView)
    views = sheet_view
    sheet_format = _kept("sheet_format", SheetFormat)
    protection = _kept("protection", SheetProtection)
    oddHeader = _kept("oddHeader", lambda ws: HeaderFooterItem(ws, "header", "ws.oddHeader"))
    oddFooter = _kept("oddFooter", lambda ws: HeaderFooterItem(ws, "footer", "ws.oddFooter"))

    @property
    def page_margins(self): return self._part("page_margins", lambda: _margins(self))

    @page_margins.setter
    def page_margins(self, value):
        value._attach(self)
        self._parts["page_margins"] = value

    @property
    def sheet_properties(self): return self._part("sheet_properties", lambda: SheetProperties(self))

    @sheet_properties.setter
    def sheet_properties(self, value):
        for name in ("tabColor", "pageSetUpPr"):
            if getattr(value, name) is not None:
                setattr(self.sheet_properties, name, getattr(value, name))

    def _printed(self, name):
        return _sheet.names(self._book, self._name).get(name, "")

    @property
    def print_area(self):
        return ",".join(part.rpartition("!")[2] for part in self._printed("_xlnm.Print_Area").split(",") if part)

    @print_area.setter
    def print_area(self, value):
        areas = [] if not value else (value.replace(",", " ").split() if isinstance(value, str) else list(value))
        self._op({"op": "page", "page": {"areas": [str(area).replace("$", "") for area in areas]}})

    @property
    def print_title_rows(self):
        for part in self._printed("_xlnm.Print_Titles").split(","):
            if part and part[-1].isdigit():
                return part.rpartition("!")[2]
        return None

    @print_title_rows.setter
    def print_title_rows(self, value): self._op({"op": "page", "page": {"title_rows": value or ""}})

    @property
    def print_title_cols(self):
        for part in self._printed("_xlnm.Print_Titles").split(","):
            if part and not part[-1].isdigit():
                return part.rpartition("!")[2]
        return None

    @print_title_cols.setter
    def print_title_cols(self, value): self._op({"op": "page", "page": {"title_columns": value or ""}})

    @property
    def data_validations(self): return DataValidationList(self)

    @property
    def defined_names(self): return Names(self._book, self)

    def _merged_bounds(self):
        return self._part("merged", lambda: [range_boundaries(text) for text in self._info()["merged"]])

    def _cell(self, row, column):
        for left, top, right, bottom in self._merged_bounds():
            if top <= row <= bottom and left <= column <= right and (row != top or column != left):
                return MergedCell(self, row, column)
        return Cell(self, row, column)

    def cell(self, row, column, value=None):
        if not isinstance(row, int) or not isinstance(column, int) or row < 1 or column < 1:
            raise ValueError("Row or column values must be at least 1")
        cell = self._cell(row, column)
        if value is not None:
            cell.value = value
        return cell

    def _bounds(self, key):
        left, top, right, bottom = range_boundaries(key)
        info = self._info()
        return (left or 1, top or 1, right or info["max_column"], bottom or info["max_row"])

    def _line(self, top, left, bottom, right):
        return tuple([tuple([self._cell(row, column) for column in range(left, right + 1)]) for row in range(top, bottom + 1)])

    def __getitem__(self, key):
        if isinstance(key, slice):
            if isinstance(key.start, int):
                return self._line(key.start, 1, key.stop, self.max_column)
            key = f"{key.start}:{key.stop}"
        if isinstance(key, int):
            return self._line(key, 1, key, self.max_column)[0]
        if ":" in key:
            first = key.split(":")[0].replace("$", "")
            left, top, right, bottom = self._bounds(key)
            if first.isalpha():
                columns = [tuple([self._cell(row, column) for row in range(top, bottom + 1)]) for column in range(left, right + 1)]
                return tuple(columns) if len(columns) > 1 else columns[0]
            rows = self._line(top, left, bottom, right)
            return rows[0] if first.isdigit() and len(rows) == 1 else rows
        text = key.replace("$", "")
        if text.isdigit():
            return self[int(text)]
        if text.isalpha():
            column = column_index_from_string(text)
            return tuple([self._cell(row, column) for row in range(1, self.max_row + 1)])
        row, column = coordinate_to_tuple(key)
        return self._cell(row, column)

    def __setitem__(self, key, value):
        row, column = coordinate_to_tuple(key)
        self._cell(row, column).value = value

    def __delitem__(self, key):
        self._op({"op": "clear", "area": key.replace("$", "")})

    def __iter__(self):
        return self.iter_rows()

    def _walked(self, min_row, max_row, min_col, max_col):
        """The rows and columns that are walked; nothing on an empty sheet of which none are named."""
        info = self._info()
        if info["is_empty"] and max_row is None and max_col is None and min_row is None and min_col is None:
            return None
        return min_row or 1, max_row or info["max_row"], min_col or 1, max_col or info["max_column"]

    def iter_rows(self, min_row=None, max_row=None, min_col=None, max_col=None, values_only=False):
        area = self._walked(min_row, max_row, min_col, max_col)
        if area is None:
            return
        top, bottom, left, right = area
        for row in range(top, bottom + 1):
            if values_only:
                line = _sheet.rows(self._book, self._name, row, left, row, right, self._values)
                if line:
                    yield tuple([_read(value) for value in line[0]])
            else:
                yield tuple([self._cell(row, column) for column in range(left, right + 1)])

    def iter_cols(self, min_col=None, max_col=None, min_row=None, max_row=None, values_only=False):
        area = self._walked(min_row, max_row, min_col, max_col)
        if area is None:
            return
        top, bottom, left, right = area
        for column in range(left, right + 1):
            cells = [self._cell(row, column) for row in range(top, bottom + 1)]
            yield tuple([cell.value for cell in cells]) if values_only else tuple(cells)

    @property
    def rows(self): return self.iter_rows()

    @property
    def columns(self): return self.iter_cols()

    @property
    def values(self): return self.iter_rows(values_only=True)

    def append(self, iterable):
        row = max(_sheet.last_row(self._book, self._name), self._appended) + 1
        if isinstance(iterable, dict):
            self._appended = row
            for key, value in iterable.items():
                column = key if isinstance(key, int) else column_index_from_string(key)
                self.cell(row, column).value = value
            return
        if isinstance(iterable, str) or not hasattr(iterable, "__iter__") and not isinstance(iterable, (list, tuple, range, set)):
            raise TypeError("Value must be a list, tuple, range or generator, or a dict. Supplied value is " + repr(type(iterable)))
        self._appended = row
        column = 0
        for value in iterable:
            column += 1
            if isinstance(value, Cell):
                value = value.value
            if value is not None:
                Cell(self, row, column).value = value
        if column and _sheet.last_row(self._book, self._name) < row:
            _sheet.set(self._book, self._name, row, 1, None)

    def insert_rows(self, idx, amount=1):
        self._appended = 0
        self._op({"op": "insert_rows", "before": idx, "count": amount})

    def delete_rows(self, idx, amount=1):
        self._appended = 0
        self._op({"op": "delete_rows", "first": idx, "count": amount})

    def insert_cols(self, idx, amount=1):
        self._op({"op": "insert_columns", "before": get_column_letter(idx), "count": amount})

    def delete_cols(self, idx, amount=1):
        self._op({"op": "delete_columns", "first": get_column_letter(idx), "count": amount})

    def _area(self, range_string, start_row, start_column, end_row, end_column):
        if range_string is not None:
            return str(range_string).replace("$", "")
        return f"{get_column_letter(start_column)}{start_row}:{get_column_letter(end_column)}{end_row}"

    def merge_cells(self, range_string=None, start_row=None, start_column=None, end_row=None, end_column=None):
        self._op({"op": "merge", "area": self._area(range_string, start_row, start_column, end_row, end_column)})

    def unmerge_cells(self, range_string=None, start_row=None, start_column=None, end_row=None, end_column=None):
        self._op({"op": "unmerge", "area": self._area(range_string, start_row, start_column, end_row, end_column)})

    def move_range(self, cell_range, rows=0, cols=0, translate=False):
        left, top, right, bottom = range_boundaries(str(cell_range))
        # Away from where they go to, so that none is overwritten before it is moved.
        down = range(bottom, top - 1, -1) if rows > 0 else range(top, bottom + 1)
        across = range(right, left - 1, -1) if cols > 0 else range(left, right + 1)
        if rows == 0 and cols == 0:
            return
        for row in down:
            for column in across:
                cell, moved = Cell(self, row, column), Cell(self, row + rows, column + cols)
                value, style = cell.value, cell._style
                if value is None and not style._look:
                    continue
                if translate and isinstance(value, str) and value.startswith("="):
                    value = _sheet.translate(value, rows, cols)
                moved._style = style
                moved.value = value
                cell._style = None
                if value is not None:
                    cell.value = None

    def add_chart(self, chart, anchor=None):
        if anchor is not None:
            chart.anchor = anchor
        self._later.append(("chart", chart))

    def add_data_validation(self, validation):
        self._later.append(("validation", validation))

    def add_image(self, *args):
        raise refused("a picture (ws.add_image)")

    def add_pivot(self, *args):
        raise refused("a pivot table (ws.add_pivot)", "write the sums with formulas or values")

    def add_table(self, table):
        if table.displayName in self.tables:
            raise ValueError(f"Table with name {table.displayName} already exists")
        self._later.append(("table", table))

    def _flush(self):
        """Makes what was added: now everything is said about it."""
        for kind, thing in self._later:
            thing._emit(self)
        # A validation may get more cells after the workbook was saved.
        self._later = [(kind, thing) for kind, thing in self._later if kind == "validation"]

    def set_printer_settings(self, paper_size, orientation):
        self.page_setup.paperSize = paper_size
        self.page_setup.orientation = orientation

    def __repr__(self):
        return f'<Worksheet "{self._name}">'
