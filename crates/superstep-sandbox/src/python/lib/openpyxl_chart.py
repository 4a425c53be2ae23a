from openpyxl.styles import _note
from openpyxl.utils import get_column_letter, range_boundaries


class _Open:
    """Takes any attribute: what is not kept does no harm."""

    def __init__(self, *args, **kwargs):
        for name, value in kwargs.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Open()
        object.__setattr__(self, name, made)
        return made


class GraphicalProperties(_Open):
    pass


class DataLabelList(_Open):
    pass


class Layout(_Open):
    pass


class ManualLayout(_Open):
    pass


class DataPoint(_Open):
    pass


class Marker(_Open):
    pass


class Trendline(_Open):
    pass


class _Axis(_Open):
    def __init__(self):
        object.__setattr__(self, "title", None)


class Reference:
    def __init__(self, worksheet=None, min_col=None, min_row=None, max_col=None, max_row=None, range_string=None):
        if range_string is not None:
            name, _, area = range_string.rpartition("!")
            self._sheet = name.strip("'")
            min_col, min_row, max_col, max_row = range_boundaries(area)
        else:
            self._sheet = worksheet.title
        if min_col is None or min_row is None:
            raise ValueError("Reference needs min_col and min_row")
        self.worksheet = worksheet
        self.min_col = min_col
        self.min_row = min_row
        self.max_col = max_col or min_col
        self.max_row = max_row or min_row

    def _area(self):
        first = f"{get_column_letter(self.min_col)}{self.min_row}"
        last = f"{get_column_letter(self.max_col)}{self.max_row}"
        return first if first == last else f"{first}:{last}"

    @property
    def cols(self):
        for column in range(self.min_col, self.max_col + 1):
            yield Reference(self.worksheet, column, self.min_row, column, self.max_row)

    @property
    def rows(self):
        for row in range(self.min_row, self.max_row + 1):
            yield Reference(self.worksheet, self.min_col, row, self.max_col, row)

    def __str__(self):
        return f"'{self._sheet}'!{self._area()}"


class _Series(_Open):
    def _data(self, categories):
        data = {"sheet": self._values._sheet, "values": self._values._area()}
        x = self._x or categories
        if x is not None:
            if x._sheet != self._values._sheet:
                raise NotImplementedError("categories of a chart stand on the sheet of its values in this sandbox")
            data["categories"] = x._area()
        if self._name_cell is not None:
            data["name_cell"] = self._name_cell
        elif self._title is not None:
            data["name"] = str(self._title)
        return data

    @property
    def title(self):
        return self._title

    @title.setter
    def title(self, value):
        object.__setattr__(self, "_title", value.v if isinstance(value, SeriesLabel) else value)
        object.__setattr__(self, "_name_cell", None)


class SeriesLabel:
    def __init__(self, strRef=None, v=None):
        self.v = v


def Series(values, xvalues=None, zvalues=None, title=None, title_from_data=False):
    made = _Series()
    name_cell = None
    if title_from_data:
        name_cell = f"{get_column_letter(values.min_col)}{values.min_row}"
        if values.min_row == values.max_row and values.max_col > values.min_col:
            values = Reference(values.worksheet, values.min_col + 1, values.min_row, values.max_col, values.max_row)
        else:
            values = Reference(values.worksheet, values.min_col, values.min_row + 1, values.max_col, values.max_row)
    object.__setattr__(made, "_values", values)
    object.__setattr__(made, "_x", xvalues)
    object.__setattr__(made, "_title", title)
    object.__setattr__(made, "_name_cell", name_cell)
    return made


class _Chart(_Open):
    _kind = None

    def __init__(self, **kwargs):
        for name, value in (("title", None), ("style", None), ("width", 15), ("height", 7.5), ("type", "col"),
                            ("grouping", None), ("series", []), ("_categories", None), ("anchor", "E15"),
                            ("x_axis", _Axis()), ("y_axis", _Axis()), ("overlap", None), ("legend", _Open())):
            object.__setattr__(self, name, value)
        for name, value in kwargs.items():
            object.__setattr__(self, name, value)

    def add_data(self, data, from_rows=False, titles_from_data=False):
        for part in (data.rows if from_rows else data.cols):
            self.series.append(Series(part, title_from_data=titles_from_data))

    def set_categories(self, labels):
        object.__setattr__(self, "_categories", labels)

    def append(self, series):
        self.series.append(series)

    def __add__(self, other):
        _note("a chart over another one is not kept; the first is")
        return self

    def __iadd__(self, other):
        return self + other

    def _data(self, anchor):
        if not self.series:
            raise ValueError("the chart has no series; use add_data or append")
        kind = self._kind
        if kind == "column" and self.type == "bar":
            kind = "bar"
        data = {
            "kind": kind, "at": anchor, "series": [series._data(self._categories) for series in self.series],
            "stacked": self.grouping in ("stacked", "percentStacked"),
            "columns": max(1, round(self.width / 1.9)), "rows": max(1, round(self.height / 0.53)),
        }
        for name, value in (("title", self.title), ("x_title", self.x_axis.title), ("y_title", self.y_axis.title)):
            if isinstance(value, str):
                data[name] = value
        return data


class BarChart(_Chart):
    _kind = "column"


class LineChart(_Chart):
    _kind = "line"


class PieChart(_Chart):
    _kind = "pie"


class DoughnutChart(_Chart):
    _kind = "doughnut"


class ScatterChart(_Chart):
    _kind = "scatter"


class AreaChart(_Chart):
    _kind = "area"


class BarChart3D(_Chart):
    _kind = "column"


class LineChart3D(_Chart):
    _kind = "line"


class PieChart3D(_Chart):
    _kind = "pie"


class AreaChart3D(_Chart):
    _kind = "area"


def _none(name):
    class Absent:
        def __init__(self, *args, **kwargs):
            raise NotImplementedError(f"{name} is not supported in this sandbox; there are BarChart, LineChart, PieChart, DoughnutChart, ScatterChart, AreaChart")
    return Absent


BubbleChart = _none("BubbleChart")
RadarChart = _none("RadarChart")
StockChart = _none("StockChart")
SurfaceChart = _none("SurfaceChart")
ProjectedPieChart = _none("ProjectedPieChart")
