import _sheet
import datetime as _dt
from openpyxl.styles import (
    NamedStyle, _BUILTIN, _alignment_of, _border_of, _fill_of, _font_of, _note, Alignment, Border, Font, PatternFill,
    Protection,
)
from openpyxl.utils import column_index_from_string, coordinate_to_tuple, get_column_letter, range_boundaries


def _read(value):
    if type(value) is not tuple:
        return value
    text, number = value
    if 0 <= number < 1:
        seconds = round(number * 86400)
        return _dt.time(seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)
    return _dt.datetime.fromisoformat(text)


def _write(value):
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, _dt.datetime):
        return (value.replace(microsecond=0).isoformat(),)
    if isinstance(value, _dt.date):
        return (value.isoformat(),)
    if isinstance(value, _dt.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    if isinstance(value, _dt.timedelta):
        return value.total_seconds() / 86400
    if hasattr(value, "__float__"):
        return float(value)
    raise ValueError(f"Cannot convert {value!r} to Excel")


class _Tolerant:
    """Settings that are taken and not kept."""

    def __init__(self, what):
        object.__setattr__(self, "_what", what)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Tolerant(self._what + "." + name)
        object.__setattr__(self, name, made)
        return made

    def __setattr__(self, name, value):
        _note(f"{self._what}.{name} is not kept in this sandbox")
        object.__setattr__(self, name, value)

    def __call__(self, *args, **kwargs):
        _note(f"{self._what}() has no effect in this sandbox")

    def __bool__(self):
        return False


def WorksheetProperties(*args, **kwargs):
    return _Tolerant("WorksheetProperties")


def PageSetupProperties(*args, **kwargs):
    return _Tolerant("PageSetupProperties")


class Comment:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("comments are not supported in the sandbox `embedded`; use the sandbox `cpython`, or write the text to a cell")


class Table:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("tables cannot be added in the sandbox `embedded`; use ws.auto_filter.ref and styles, or the sandbox `cpython`")


class TableStyleInfo:
    def __init__(self, *args, **kwargs):
        pass


class Hyperlink:
    def __init__(self, ref=None, location=None, tooltip=None, display=None, id=None, target=None):
        self.ref = ref
        self.location = location
        self.target = target
        self.display = display
        self.tooltip = tooltip


class Cell:
    __slots__ = ("parent", "row", "column", "_link")

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
        return _read(value) if type(value) is tuple else value

    @value.setter
    def value(self, value):
        ws = self.parent
        if not (value is None or type(value) in (str, int, float, bool)):
            value = _write(value)
        _sheet.set(ws._book, ws._name, self.row, self.column, value)

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

    @property
    def font(self): return _font_of(self._look())

    @font.setter
    def font(self, value): self._change(value._style())

    @property
    def fill(self): return _fill_of(self._look())

    @fill.setter
    def fill(self, value): self._change(value._style())

    @property
    def border(self): return _border_of(self._look())

    @border.setter
    def border(self, value): self._change(value._style())

    @property
    def alignment(self): return _alignment_of(self._look())

    @alignment.setter
    def alignment(self, value): self._change(value._style())

    @property
    def protection(self): return Protection(locked=True, hidden=False)

    @protection.setter
    def protection(self, value): self._change(value._style())

    @property
    def number_format(self): return self._look().get("number_format", "General")

    @number_format.setter
    def number_format(self, value): self._change({"number_format": value})

    @property
    def has_style(self): return bool(self._look())

    @property
    def style(self): return "Normal"

    @style.setter
    def style(self, value):
        if isinstance(value, NamedStyle):
            self.parent._wb.add_named_style(value)
            self._change(value._style())
            return
        known = self.parent._wb._styles.get(value)
        if known is not None:
            self._change(known._style())
        elif value in _BUILTIN:
            self._change(_BUILTIN[value])
        else:
            raise ValueError(f"{value} is not a known style; there are: {', '.join(list(_BUILTIN) + list(self.parent._wb._styles))}")

    @property
    def _style(self): return self._look()

    @_style.setter
    def _style(self, value): self._change(value)

    @property
    def hyperlink(self): return self._link if hasattr(self, "_link") else None

    @hyperlink.setter
    def hyperlink(self, value):
        if value is None:
            raise NotImplementedError("links cannot be removed in this sandbox")
        target = value
        if isinstance(value, Hyperlink):
            target = value.target or "#" + value.location
        self._link = value if isinstance(value, Hyperlink) else Hyperlink(self.coordinate, target=target)
        self.parent._op({"op": "link", "cell": self.coordinate, "address": target})
        if self.value is None:
            self.value = target

    @property
    def comment(self): return None

    @comment.setter
    def comment(self, value):
        if value is not None:
            Comment()

    def offset(self, row=0, column=0):
        return self.parent.cell(self.row + row, self.column + column)

    def __repr__(self):
        return f"<Cell {self.parent.title!r}.{self.coordinate}>"

    def __eq__(self, other):
        return isinstance(other, Cell) and self.row == other.row and self.column == other.column and self.parent is other.parent

    def __hash__(self):
        return hash((self.parent.title, self.row, self.column))


class MergedCell(Cell):
    __slots__ = ()

    @property
    def value(self):
        return None

    @value.setter
    def value(self, value):
        raise AttributeError(f"'MergedCell' object attribute 'value' is read-only; {self.coordinate} is part of merged cells")


class _ColumnDimension:
    __slots__ = ("_ws", "index")

    def __init__(self, ws, index):
        self._ws = ws
        self.index = index

    def _read(self):
        return _sheet.column(self._ws._book, self._ws._name, column_index_from_string(self.index))

    @property
    def width(self): return self._read()[0] or 13.0

    @width.setter
    def width(self, value):
        self._ws._op({"op": "column_width", "columns": self.index, "width": float(value)})

    @property
    def hidden(self): return self._read()[1]

    @hidden.setter
    def hidden(self, value):
        self._ws._op({"op": "hide_columns", "columns": self.index, "hidden": bool(value)})

    def _ignored(name):
        def get(self):
            return None

        def put(self, value):
            if value:
                _note(f"column_dimensions[...].{name} is not kept in this sandbox")
        return property(get, put)

    auto_size = _ignored("auto_size")
    bestFit = _ignored("bestFit")
    outline_level = _ignored("outline_level")
    outlineLevel = _ignored("outlineLevel")
    collapsed = _ignored("collapsed")
    customWidth = _ignored("customWidth")
    font = _ignored("font")
    fill = _ignored("fill")
    border = _ignored("border")
    alignment = _ignored("alignment")
    number_format = _ignored("number_format")


class _RowDimension:
    __slots__ = ("_ws", "index")

    def __init__(self, ws, index):
        self._ws = ws
        self.index = index

    @property
    def height(self): return _sheet.row(self._ws._book, self._ws._name, self.index)[0]

    @height.setter
    def height(self, value):
        if value is None:
            _note("a height cannot be taken away in this sandbox")
            return
        self._ws._op({"op": "row_height", "first": self.index, "height": float(value)})

    @property
    def hidden(self): return _sheet.row(self._ws._book, self._ws._name, self.index)[1]

    @hidden.setter
    def hidden(self, value):
        self._ws._op({"op": "hide_rows", "first": self.index, "hidden": bool(value)})

    outline_level = _ColumnDimension.__dict__["outline_level"]
    outlineLevel = _ColumnDimension.__dict__["outlineLevel"]
    font = _ColumnDimension.__dict__["font"]
    fill = _ColumnDimension.__dict__["fill"]
    border = _ColumnDimension.__dict__["border"]
    alignment = _ColumnDimension.__dict__["alignment"]


class _Dimensions:
    __slots__ = ("_ws", "_of")

    def __init__(self, ws, of):
        self._ws = ws
        self._of = of

    def __getitem__(self, key):
        if self._of is _ColumnDimension:
            key = get_column_letter(key) if isinstance(key, int) else key.upper()
            column_index_from_string(key)
        elif not isinstance(key, int):
            raise TypeError("rows are numbers")
        return self._of(self._ws, key)

    def group(self, start, end=None, outline_level=1, hidden=False):
        _note("groups of rows and columns are not kept in this sandbox")
        if hidden and self._of is _ColumnDimension:
            self._ws._op({"op": "hide_columns", "columns": f"{start}:{end or start}", "hidden": True})
        elif hidden:
            self._ws._op({"op": "hide_rows", "first": start, "last": end or start, "hidden": True})


class CellRange:
    __slots__ = ("min_col", "min_row", "max_col", "max_row")

    def __init__(self, range_string):
        self.min_col, self.min_row, self.max_col, self.max_row = range_boundaries(range_string)

    @property
    def coord(self):
        return f"{get_column_letter(self.min_col)}{self.min_row}:{get_column_letter(self.max_col)}{self.max_row}"

    @property
    def bounds(self):
        return (self.min_col, self.min_row, self.max_col, self.max_row)

    @property
    def size(self):
        return {"rows": self.max_row - self.min_row + 1, "columns": self.max_col - self.min_col + 1}

    def __contains__(self, coordinate):
        row, column = coordinate_to_tuple(coordinate)
        return self.min_row <= row <= self.max_row and self.min_col <= column <= self.max_col

    def __eq__(self, other):
        return self.coord == (other if isinstance(other, str) else other.coord)

    def __hash__(self): return hash(self.coord)
    def __str__(self): return self.coord
    def __repr__(self): return f"<CellRange {self.coord}>"


class _Merged:
    __slots__ = ("_ws",)

    def __init__(self, ws):
        self._ws = ws

    @property
    def ranges(self):
        return [CellRange(text) for text in self._ws._info()["merged"]]

    def __iter__(self): return iter(self.ranges)
    def __len__(self): return len(self.ranges)
    def __contains__(self, coordinate): return any(coordinate == each.coord or (":" not in coordinate and coordinate in each) for each in self.ranges)
    def __str__(self): return " ".join(each.coord for each in self.ranges)


class _Filter:
    __slots__ = ("_ws",)

    def __init__(self, ws):
        self._ws = ws

    @property
    def ref(self): return self._ws._info()["filter"]

    @ref.setter
    def ref(self, value): self._ws._op({"op": "filter", "area": value})

    def add_filter_column(self, *args, **kwargs):
        _note("conditions of filters are not kept in this sandbox; hide rows instead")

    def add_sort_condition(self, *args, **kwargs):
        _note("conditions of filters are not kept in this sandbox; sort the rows instead")


class _Conditional:
    __slots__ = ("_ws",)

    def __init__(self, ws):
        self._ws = ws

    def add(self, area, rule):
        for part in area.replace(",", " ").split():
            condition, style = rule._parts(part)
            op = {"op": "conditional_format", "area": part.replace("$", ""), "condition": condition}
            if style is not None:
                op["style"] = style
            self._ws._op(op)


class DataValidation:
    def __init__(self, type=None, formula1=None, formula2=None, showErrorMessage=False, showInputMessage=False,
                 showDropDown=False, allowBlank=False, allow_blank=False, sqref=(), promptTitle=None, errorStyle=None, error=None,
                 prompt=None, errorTitle=None, imeMode=None, operator=None):
        self.type = type
        self.formula1 = formula1
        self.formula2 = formula2
        self.operator = operator
        self.error = error
        self.errorTitle = errorTitle
        self.prompt = prompt
        self.promptTitle = promptTitle
        self.errorStyle = errorStyle
        self.showErrorMessage = showErrorMessage
        self.showInputMessage = showInputMessage
        self.showDropDown = showDropDown
        self.allow_blank = allow_blank or allowBlank
        self._areas = [str(area) for area in ([sqref] if isinstance(sqref, str) and sqref else sqref)]
        self._ws = None

    def add(self, cell):
        area = cell.coordinate if isinstance(cell, Cell) else str(cell)
        self._areas.append(area)
        if self._ws is not None:
            self._emit(area)

    def _attach(self, ws):
        self._ws = ws
        for area in self._areas:
            self._emit(area)

    def _emit(self, area):
        if self.type == "list":
            text = str(self.formula1)
            if text.startswith('"'):
                validation = {"list": [part.strip() for part in text.strip('"').split(",")]}
            else:
                validation = {"source": text.lstrip("=")}
        elif self.type in ("whole", "decimal", "date", "textLength"):
            formulas = [str(each).lstrip("=") for each in (self.formula1, self.formula2) if each is not None]
            validation = {"range": {"kind": self.type, "operator": self.operator or "between", "formulas": formulas}}
        else:
            raise NotImplementedError(f"data validation of type {self.type} is not supported in this sandbox; there are: list, whole, decimal, date, textLength")
        if self.error or self.prompt:
            _note("messages of data validations are not kept in this sandbox")
        for part in area.split():
            self._ws._op({"op": "validate", "area": part.replace("$", ""), "validation": validation})


class DefinedName:
    def __init__(self, name=None, attr_text=None, localSheetId=None, comment=None, hidden=False, value=None):
        self.name = name
        self.attr_text = attr_text or value

    @property
    def value(self):
        return self.attr_text


class _Names:
    __slots__ = ("_wb",)

    def __init__(self, wb):
        self._wb = wb

    def _all(self):
        return {name: DefinedName(name, text) for name, text in _sheet.names(self._wb._book).items()}

    def __getitem__(self, name): return self._all()[name]
    def __contains__(self, name): return name in self._all()
    def __iter__(self): return iter(self._all())
    def __len__(self): return len(self._all())
    def keys(self): return self._all().keys()
    def values(self): return self._all().values()
    def items(self): return self._all().items()
    def get(self, name, default=None): return self._all().get(name, default)

    def __setitem__(self, name, value):
        text = value.attr_text if isinstance(value, DefinedName) else value
        _sheet.op(self._wb._book, {"op": "define_name", "name": name, "refers_to": text})

    def add(self, value): self[value.name] = value
    def append(self, value): self[value.name] = value
    def __delitem__(self, name): _sheet.op(self._wb._book, {"op": "delete_name", "name": name})


class Worksheet:
    __slots__ = ("_wb", "_book", "_name", "_values", "_parts", "_gone")

    def __init__(self, wb, name):
        self._wb = wb
        self._book = wb._book
        self._name = name
        self._values = wb._values
        self._parts = {}
        self._gone = False

    def _op(self, op):
        op["sheet"] = self._name
        self._parts.pop("merged", None)
        _sheet.op(self._book, op)

    def _info(self):
        return _sheet.info(self._book, self._name)

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
    def column_dimensions(self): return _Dimensions(self, _ColumnDimension)

    @property
    def row_dimensions(self): return _Dimensions(self, _RowDimension)

    @property
    def merged_cells(self): return _Merged(self)

    @property
    def merged_cell_ranges(self): return self.merged_cells.ranges

    @property
    def auto_filter(self): return _Filter(self)

    @property
    def conditional_formatting(self): return _Conditional(self)

    @property
    def tables(self): return {name: area for name, area in self._info()["tables"]}

    @property
    def _charts(self): return [None] * self._info()["drawings"]

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
        self._op({"op": "hide_sheet", "hidden": value != "visible"})

    def _tolerant(name):
        def get(self):
            return self._part(name, lambda: _Tolerant("ws." + name))

        def put(self, value):
            _note(f"ws.{name} is not kept in this sandbox")
        return property(get, put)

    page_setup = _tolerant("page_setup")
    page_margins = _tolerant("page_margins")
    print_options = _tolerant("print_options")
    sheet_properties = _tolerant("sheet_properties")
    sheet_view = _tolerant("sheet_view")
    sheet_format = _tolerant("sheet_format")
    views = _tolerant("views")
    protection = _tolerant("protection")
    oddHeader = _tolerant("oddHeader")
    oddFooter = _tolerant("oddFooter")
    HeaderFooter = _tolerant("HeaderFooter")
    print_area = _tolerant("print_area")
    print_title_rows = _tolerant("print_title_rows")
    print_title_cols = _tolerant("print_title_cols")

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

    def iter_rows(self, min_row=None, max_row=None, min_col=None, max_col=None, values_only=False):
        info = self._info()
        if info["is_empty"] and max_row is None and max_col is None and min_row is None and min_col is None:
            return
        top, left = min_row or 1, min_col or 1
        bottom, right = max_row or info["max_row"], max_col or info["max_column"]
        for row in range(top, bottom + 1):
            if values_only:
                line = _sheet.rows(self._book, self._name, row, left, row, right, self._values)
                if line:
                    yield tuple([_read(value) for value in line[0]])
            else:
                yield tuple([self._cell(row, column) for column in range(left, right + 1)])

    def iter_cols(self, min_col=None, max_col=None, min_row=None, max_row=None, values_only=False):
        info = self._info()
        if info["is_empty"] and max_row is None and max_col is None and min_row is None and min_col is None:
            return
        top, left = min_row or 1, min_col or 1
        bottom, right = max_row or info["max_row"], max_col or info["max_column"]
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
        row = _sheet.last_row(self._book, self._name) + 1
        if isinstance(iterable, dict):
            for key, value in iterable.items():
                column = key if isinstance(key, int) else column_index_from_string(key)
                self.cell(row, column).value = value
            return
        if isinstance(iterable, str) or not hasattr(iterable, "__iter__") and not isinstance(iterable, (list, tuple, range, set)):
            raise TypeError("Value must be a list, tuple, range or generator, or a dict. Supplied value is " + repr(type(iterable)))
        column = 0
        for value in iterable:
            column += 1
            if isinstance(value, Cell):
                value = value.value
            if value is not None:
                _sheet.set(self._book, self._name, row, column, _write(value))
        if column and _sheet.last_row(self._book, self._name) < row:
            _sheet.set(self._book, self._name, row, 1, None)

    def insert_rows(self, idx, amount=1):
        self._op({"op": "insert_rows", "before": idx, "count": amount})

    def delete_rows(self, idx, amount=1):
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
        kept = []
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                cell = Cell(self, row, column)
                value, look = cell.value, cell._look()
                kept.append((row, column, value, look))
                if value is not None:
                    cell.value = None
        for row, column, value, look in kept:
            cell = Cell(self, row + rows, column + cols)
            cell.value = value
            cell._change(look)

    def add_chart(self, chart, anchor=None):
        self._op({"op": "add_chart", "chart": chart._data(anchor or chart.anchor)})

    def add_data_validation(self, validation):
        validation._attach(self)

    def add_image(self, *args):
        raise NotImplementedError("pictures are not supported in this sandbox")

    def add_table(self, table):
        Table()

    def set_printer_settings(self, *args, **kwargs):
        _note("print settings are not kept in this sandbox")

    def __repr__(self):
        return f'<Worksheet "{self._name}">'


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
        for name in ("properties", "calculation", "security", "views"):
            setattr(self, name, _Tolerant("wb." + name))
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
        _note("which sheet is active is not kept in this sandbox")

    @property
    def defined_names(self): return _Names(self)

    @property
    def named_styles(self): return list(_BUILTIN) + list(self._styles)

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

    def create_named_range(self, name, worksheet=None, value=None, scope=None):
        text = value if worksheet is None else f"'{worksheet._name}'!{value}"
        self.defined_names[name] = text

    def save(self, filename=None):
        if self._doomed is not None:
            raise IndexError("At least one sheet must be visible")
        _sheet.save(self._book)

    def close(self):
        pass

    def __repr__(self):
        return f"<Workbook {self.sheetnames}>"


_known = {}


def _opened(book, values):
    """The workbook that the program was given; the same object every time."""
    if (book, values) not in _known:
        made = object.__new__(Workbook)
        made._start(book, values)
        _known[(book, values)] = made
    return _known[(book, values)]
