"""Charts. One that is added is made when the workbook is saved, so that what a program says about it
afterwards counts."""
from openpyxl._refuse import Settings, absent, refused
from openpyxl.styles import _hex
from openpyxl.utils import get_column_letter, range_boundaries


class LineProperties(Settings):
    _known = {"solidFill": None, "width": None, "w": None, "noFill": None}

    def __init__(self, w=None, solidFill=None, noFill=None, **others):
        self._start("LineProperties")
        for name, value in (("width", w), ("solidFill", solidFill), ("noFill", noFill), *others.items()):
            if value is not None:
                setattr(self, name, value)


class GraphicalProperties(Settings):
    _known = {"solidFill": None, "line": None, "ln": None, "noFill": None}

    def __init__(self, noFill=None, solidFill=None, ln=None, **others):
        self._start("graphicalProperties")
        self._set["line"] = ln or LineProperties()
        for name, value in (("noFill", noFill), ("solidFill", solidFill), *others.items()):
            if value is not None:
                setattr(self, name, value)

    def _put(self, name, value):
        if name == "noFill" and value:
            raise refused("graphicalProperties.noFill", "graphicalProperties.line.noFill hides the line")

    def _data(self):
        line, data = self.line, {}
        for name, value in (("fill", self.solidFill), ("line", line.solidFill)):
            if value is not None:
                data[name] = _digits(value)
        width = line.width if line.width is not None else line.w
        if width is not None:
            data["line_width"] = float(width) / 12700
        if line.noFill:
            data["no_line"] = True
        return data


def _digits(color):
    color = _hex(color)
    if ":" in color:
        raise refused("a color of the theme in a chart", "write it as digits")
    return color


class DataLabelList(Settings):
    _known = {"showVal": "value", "showPercent": "percent", "showCatName": "category", "showSerName": "series",
              "showLegendKey": None, "showLeaderLines": None, "showBubbleSize": None, "position": "position", "dLblPos": "position"}

    def __init__(self, **given):
        self._start("dataLabels")
        for name, value in given.items():
            setattr(self, name, value)

    def _put(self, name, value):
        if type(self)._known[name] is None and value:
            raise refused(f"dataLabels.{name}", "there are: showVal, showPercent, showCatName, showSerName, position")

    def _data(self):
        data = {}
        for name, value in self._set.items():
            key = type(self)._known[name]
            if key == "position" and value:
                data[key] = str(value)
            elif key is not None and key != "position":
                data[key] = bool(value)
        return data


class Marker(Settings):
    _known = {"symbol": None}

    def __init__(self, symbol=None, **others):
        self._start("marker")
        for name, value in (("symbol", symbol), *others.items()):
            if value is not None:
                setattr(self, name, value)


class Legend(Settings):
    _known = {"position": None, "legendPos": None}

    def __init__(self, legendPos="r", **others):
        self._start("legend")
        self.position = legendPos
        for name, value in others.items():
            if value is not None:
                setattr(self, name, value)

    def _put(self, name, value):
        self._set["position"] = value


class Scaling(Settings):
    _known = {"min": None, "max": None, "orientation": None}

    def __init__(self, orientation="minMax", min=None, max=None):
        self._start("scaling")
        self._set.update(orientation=orientation, min=min, max=max)


class ChartLines:
    def __init__(self, spPr=None):
        if spPr is not None:
            raise refused("ChartLines(spPr)")


class _Axis(Settings):
    _known = {"title": None, "delete": None, "majorGridlines": None, "minorGridlines": None, "number_format": None,
              "numFmt": None, "scaling": None, "majorUnit": None, "crosses": None, "tickLblPos": None, "majorTickMark": None,
              "minorTickMark": None, "axId": None, "crossAx": None}
    _usual = {"crosses": (None, "autoZero"), "tickLblPos": (None, "nextTo"), "majorTickMark": (None, "out"),
              "minorTickMark": (None, "none"), "minorGridlines": (None,)}

    def __init__(self, name, has_lines):
        self._start(name)
        self._set["scaling"] = Scaling()
        self._set["majorGridlines"] = ChartLines() if has_lines else None

    def _put(self, name, value):
        if name in self._usual and value not in self._usual[name] or name in ("axId", "crossAx"):
            raise refused(f"{self._what}.{name} = {value!r}")
        if name == "numFmt":
            self._set["number_format"] = value if isinstance(value, str) or value is None else value.formatCode

    def _data(self):
        data = {"gridlines": self.majorGridlines is not None, "hidden": bool(self.delete)}
        if self.number_format:
            data["number_format"] = str(self.number_format)
        for name, value in (("min", self.scaling.min), ("max", self.scaling.max), ("step", self.majorUnit)):
            if value is not None:
                data[name] = float(value)
        if self.scaling.orientation == "maxMin":
            data["reversed"] = True
        return data


class Reference:
    def __init__(self, worksheet=None, min_col=None, min_row=None, max_col=None, max_row=None, range_string=None):
        if range_string is not None:
            name, _, area = range_string.rpartition("!")
            self._sheet = name.strip("'")
            min_col, min_row, max_col, max_row = range_boundaries(area)
        else:
            self._sheet = None
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
            yield self._part(column, self.min_row, column, self.max_row)

    @property
    def rows(self):
        for row in range(self.min_row, self.max_row + 1):
            yield self._part(self.min_col, row, self.max_col, row)

    def __str__(self):
        return f"'{self._title()}'!{self._area()}"

    def _title(self):
        return self._sheet if self._sheet is not None else self.worksheet.title

    def _part(self, min_col, min_row, max_col, max_row):
        part = Reference(self.worksheet, min_col, min_row, max_col, max_row)
        part._sheet = self._sheet
        return part



class SeriesLabel:
    def __init__(self, strRef=None, v=None):
        if strRef is not None:
            raise refused("SeriesLabel(strRef)", "use Series(..., title_from_data=True)")
        self.v = v


class _Series(Settings):
    _known = {"title": None, "tx": None, "graphicalProperties": None, "spPr": None, "smooth": None, "marker": None,
              "dLbls": None, "dataLabels": None, "cat": None}

    def __init__(self, values, x, title, name_cell):
        self._start("series")
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_x", x)
        object.__setattr__(self, "_name_cell", name_cell)
        self._set.update(title=title, graphicalProperties=GraphicalProperties(), marker=Marker())

    def _put(self, name, value):
        if name in ("title", "tx"):
            self._set["title"] = value.v if isinstance(value, SeriesLabel) else value
            object.__setattr__(self, "_name_cell", None)
        elif name == "spPr":
            self._set["graphicalProperties"] = value
        elif name == "dataLabels":
            self._set["dLbls"] = value
        elif name == "cat":
            raise refused("series.cat", "use chart.set_categories")

    def _data(self, categories, kind):
        data = {"sheet": self._values._title(), "values": self._values._area()}
        x = self._x or categories
        if x is not None:
            data["categories"] = x._area()
            if x._title() != self._values._title():
                data["categories_sheet"] = x._title()
        if self._name_cell is not None:
            data["name_cell"] = self._name_cell
        elif self.title is not None:
            data["name"] = str(self.title)
        data.update(self.graphicalProperties._data())
        if self.smooth:
            data["smooth"] = True
        symbol = None if self.marker is None else self.marker.symbol
        if symbol or kind in ("line", "scatter"):
            data["marker"] = symbol or "none"
        if self.dLbls is not None:
            data["labels"] = self.dLbls._data()
        return data


def Series(values, xvalues=None, zvalues=None, title=None, title_from_data=False):
    if zvalues is not None:
        raise refused("Series(zvalues)")
    name_cell = None
    if title_from_data:
        name_cell = f"{get_column_letter(values.min_col)}{values.min_row}"
        if values.min_row == values.max_row and values.max_col > values.min_col:
            values = values._part(values.min_col + 1, values.min_row, values.max_col, values.max_row)
        else:
            values = values._part(values.min_col, values.min_row + 1, values.max_col, values.max_row)
    return _Series(values, xvalues, title, name_cell)


class _Chart(Settings):
    _kind = None
    _known = {"title": None, "style": None, "width": None, "height": None, "type": None, "grouping": None, "series": None,
              "anchor": None, "x_axis": None, "y_axis": None, "overlap": None, "gapWidth": None, "legend": None,
              "dataLabels": None, "dLbls": None, "varyColors": None, "shape": None, "scatterStyle": None, "barDir": None, "holeSize": None, "firstSliceAng": None}

    def __init__(self, **given):
        self._start(type(self).__name__)
        has_lines = type(self)._kind == "scatter"
        self._set.update(width=15, height=7.5, type="col", series=[], anchor="E15", x_axis=_Axis("x_axis", has_lines),
                         y_axis=_Axis("y_axis", True), legend=Legend())
        object.__setattr__(self, "_categories", None)
        for name, value in given.items():
            setattr(self, name, value)

    def _put(self, name, value):
        if name in ("shape", "scatterStyle", "holeSize", "firstSliceAng", "varyColors"):
            usual = {"shape": (None, 4), "scatterStyle": (None, "lineMarker"), "holeSize": (None, 50), "firstSliceAng": (None, 0),
                     "varyColors": (None, False, True, "0")}
            if value not in usual[name]:
                raise refused(f"{self._what}.{name} = {value!r}")
        elif name == "dLbls":
            self._set["dataLabels"] = value
        elif name == "barDir":
            self._set["type"] = value
        elif name == "grouping" and value not in (None, "clustered", "standard", "stacked", "percentStacked"):
            raise ValueError(f"{value!r} is no grouping; there are: clustered, standard, stacked, percentStacked")
        elif name == "title" and not (value is None or isinstance(value, str)):
            raise refused("a title of a chart that is no text")

    def add_data(self, data, from_rows=False, titles_from_data=False):
        for part in (data.rows if from_rows else data.cols):
            self.series.append(Series(part, title_from_data=titles_from_data))

    def set_categories(self, labels):
        object.__setattr__(self, "_categories", labels)

    def append(self, series):
        self.series.append(series)

    def __add__(self, other):
        raise refused("a chart over another one, or with a second axis", "add two charts, one below the other")

    def __iadd__(self, other):
        return self + other

    def _emit(self, ws):
        if not self.series:
            raise ValueError("the chart has no series; use add_data or append")
        kind = type(self)._kind
        if kind == "column" and self.type == "bar":
            kind = "bar"
        anchor = self.anchor if isinstance(self.anchor, str) else getattr(self.anchor, "coordinate", None)
        if anchor is None:
            raise refused("an anchor that is no cell", "write it as a text such as 'E5'")
        data = {
            "kind": kind, "at": anchor, "series": [series._data(self._categories, kind) for series in self.series],
            "stacked": self.grouping == "stacked", "shares": self.grouping == "percentStacked",
            "size": [float(self.width), float(self.height)],
            "legend": "none" if self.legend is None else self.legend.position,
            "x_axis": self.x_axis._data(), "y_axis": self.y_axis._data(),
        }
        for name, value in (("title", self.title), ("x_title", self.x_axis.title), ("y_title", self.y_axis.title)):
            if value is not None:
                data[name] = str(value)
        for name, value in (("style", self.style), ("gap", self.gapWidth), ("overlap", self.overlap)):
            if value is not None:
                data[name] = int(value)
        if self.dataLabels is not None:
            data["labels"] = self.dataLabels._data()
        ws._op({"op": "add_chart", "chart": data})


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


_THERE_ARE = "BarChart, LineChart, PieChart, DoughnutChart, ScatterChart and AreaChart"
BarChart3D = absent("BarChart3D", "BarChart has the same values")
LineChart3D = absent("LineChart3D", "LineChart has the same values")
PieChart3D = absent("PieChart3D", "PieChart has the same values")
AreaChart3D = absent("AreaChart3D", "AreaChart has the same values")
SurfaceChart3D = absent("SurfaceChart3D", f"there are {_THERE_ARE}")
BubbleChart = absent("BubbleChart", f"there are {_THERE_ARE}")
RadarChart = absent("RadarChart", f"there are {_THERE_ARE}")
StockChart = absent("StockChart", f"there are {_THERE_ARE}")
SurfaceChart = absent("SurfaceChart", f"there are {_THERE_ARE}")
ProjectedPieChart = absent("ProjectedPieChart", f"there are {_THERE_ARE}")
DataPoint = absent("DataPoint", "the color of a whole series is series.graphicalProperties.solidFill; values of another color can be a series of their own")
Layout = absent("Layout", "the place of a legend is chart.legend.position")
ManualLayout = absent("ManualLayout", "the place of a legend is chart.legend.position")
Trendline = absent("Trendline", "put its values in a column, with TREND or FORECAST.LINEAR, and add that column as a series")
DateAxis = absent("DateAxis", "an axis of categories shows dates, too: set chart.x_axis.number_format")
ErrorBars = absent("ErrorBars", "put the bounds in columns, and add them as series")
