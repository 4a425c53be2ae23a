"""Conditional formats."""
from openpyxl._refuse import refused
from openpyxl.styles import _difference, _hex

_TEXTS = {"containsText": "contains", "notContainsText": "lacks", "beginsWith": "begins", "endsWith": "ends"}
_PLAIN = {"duplicateValues": "duplicates", "uniqueValues": "unique", "containsBlanks": "blank", "notContainsBlanks": "not_blank",
          "containsErrors": "error", "notContainsErrors": "no_error"}
_OPERATORS = {">": "greaterThan", ">=": "greaterThanOrEqual", "<": "lessThan", "<=": "lessThanOrEqual", "=": "equal",
              "==": "equal", "!=": "notEqual"}


class FormatObject:
    """A point among the values: the beginning of a color, a bar or an icon."""

    def __init__(self, type, val=None, gte=None):
        if gte is not None and not gte:
            raise refused("FormatObject(gte=False)")
        self.type = type
        self.val = val

    def _data(self):
        if self.val is None or self.type in ("min", "max"):
            return {"kind": self.type}
        return {"kind": self.type, "value": str(self.val)}


class ColorScale:
    def __init__(self, cfvo=None, color=None):
        self.cfvo = cfvo
        self.color = color

    def _condition(self):
        return {"scale": [{"at": point._data(), "color": _hex(color)} for point, color in zip(self.cfvo, self.color)]}


class DataBar:
    def __init__(self, minLength=None, maxLength=None, showValue=None, cfvo=None, color=None):
        if minLength is not None or maxLength is not None:
            raise refused("DataBar(minLength, maxLength)")
        self.showValue = showValue
        self.cfvo = cfvo
        self.color = color

    def _condition(self):
        low, high = self.cfvo
        return {"data_bar": {"color": _hex(self.color) or "638EC6", "from": low._data(), "to": high._data(),
                             "hides_value": self.showValue is not None and not self.showValue}}


class IconSet:
    def __init__(self, iconSet=None, showValue=None, percent=None, reverse=None, cfvo=None):
        self.iconSet = iconSet
        self.showValue = showValue
        self.percent = percent
        self.reverse = reverse
        self.cfvo = cfvo

    def _condition(self):
        return {"icons": {"set": self.iconSet, "thresholds": [point._data() for point in self.cfvo], "reversed": bool(self.reverse),
                          "hides_value": self.showValue is not None and not self.showValue}}


class Rule:
    def __init__(self, type="expression", dxfId=None, priority=0, stopIfTrue=None, aboveAverage=None, percent=None,
                 bottom=None, operator=None, text=None, timePeriod=None, rank=None, stdDev=None, equalAverage=None,
                 formula=(), colorScale=None, dataBar=None, iconSet=None, extLst=None, dxf=None):
        for name, value in (("dxfId", dxfId), ("priority", priority), ("extLst", extLst)):
            if value:
                raise refused(f"Rule({name})", "rules apply in the order in which they are added")
        self.type = type
        self.stopIfTrue = stopIfTrue
        self.aboveAverage = aboveAverage
        self.percent = percent
        self.bottom = bottom
        self.operator = operator
        self.text = text
        self.timePeriod = timePeriod
        self.rank = rank
        self.stdDev = stdDev
        self.equalAverage = equalAverage
        self.formula = list(formula or [])
        self.colorScale = colorScale
        self.dataBar = dataBar
        self.iconSet = iconSet
        self.dxf = dxf

    def _parts(self, area):
        own = self.colorScale or self.dataBar or self.iconSet
        if own is not None:
            return (own._condition(), None)
        style = self.dxf._style() if hasattr(self.dxf, "_style") else (self.dxf or {})
        formulas = [str(each).lstrip("=") if isinstance(each, str) else str(each) for each in self.formula]
        if self.type == "cellIs":
            return ({"cell": {"operator": self.operator, "formulas": formulas}}, style)
        if self.type == "expression":
            if len(formulas) != 1:
                raise ValueError("a rule of type expression needs one formula")
            return ({"formula": formulas[0]}, style)
        if self.type in _TEXTS:
            if self.text is None:
                raise ValueError(f"a rule of type {self.type} needs text")
            return ({_TEXTS[self.type]: self.text}, style)
        if self.type in _PLAIN:
            return (_PLAIN[self.type], style)
        if self.type == "top10":
            return ({"top": {"rank": self.rank or 10, "bottom": bool(self.bottom), "percent": bool(self.percent)}}, style)
        if self.type == "aboveAverage":
            return ({"average": {"below": self.aboveAverage is not None and not self.aboveAverage,
                                 "or_equal": bool(self.equalAverage), "deviations": self.stdDev}}, style)
        if self.type == "timePeriod":
            return ({"period": self.timePeriod}, style)
        raise refused(f"a conditional format of type {self.type}",
                      "there are: cellIs, expression, top10, aboveAverage, timePeriod, colorScale, dataBar, iconSet, "
                      + ", ".join(list(_TEXTS) + list(_PLAIN)))


def CellIsRule(operator=None, formula=None, stopIfTrue=None, font=None, border=None, fill=None):
    rule = Rule("cellIs", formula=formula, operator=_OPERATORS.get(operator, operator), stopIfTrue=stopIfTrue)
    rule.dxf = _difference(font, fill, border)
    return rule


def FormulaRule(formula=None, stopIfTrue=None, font=None, border=None, fill=None):
    rule = Rule("expression", formula=formula, stopIfTrue=stopIfTrue)
    rule.dxf = _difference(font, fill, border)
    return rule


def ColorScaleRule(start_type=None, start_value=None, start_color=None, mid_type=None, mid_value=None, mid_color=None,
                   end_type=None, end_value=None, end_color=None):
    points, colors = [], []
    for kind, value, color in ((start_type, start_value, start_color), (mid_type, mid_value, mid_color),
                               (end_type, end_value, end_color)):
        if kind is not None:
            points.append(FormatObject(kind, value))
            colors.append(color)
    return Rule("colorScale", colorScale=ColorScale(points, colors))


def DataBarRule(start_type=None, start_value=None, end_type=None, end_value=None, color=None, showValue=None,
                minLength=None, maxLength=None):
    points = [FormatObject(start_type or "min", start_value), FormatObject(end_type or "max", end_value)]
    return Rule("dataBar", dataBar=DataBar(minLength, maxLength, showValue, points, color))


def IconSetRule(icon_style=None, type=None, values=None, showValue=None, percent=None, reverse=None):
    points = [FormatObject(type, value) for value in values or []]
    return Rule("iconSet", iconSet=IconSet(icon_style, showValue, percent, reverse, points))
