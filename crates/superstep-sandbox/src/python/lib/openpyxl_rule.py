from openpyxl.styles import _difference, _hex, _note


class Rule:
    def __init__(self, type="expression", dxf=None, formula=None, operator=None, text=None, rank=None, bottom=None,
                 percent=None, stopIfTrue=None, priority=0, aboveAverage=None, dxfId=None, timePeriod=None, stdDev=None, equalAverage=None):
        self.type = type
        self.dxf = dxf
        self.formula = list(formula or [])
        self.operator = operator
        self.text = text
        self.rank = rank
        self.bottom = bottom
        self.percent = percent
        self.aboveAverage = aboveAverage
        self._condition = None

    def _parts(self, area):
        style = self.dxf._style() if hasattr(self.dxf, "_style") else (self.dxf or {})
        if self._condition is not None:
            return (self._condition, None)
        formulas = [str(each).lstrip("=") if isinstance(each, str) else str(each) for each in self.formula]
        if self.type == "cellIs":
            return ({"cell": {"operator": self.operator, "formulas": formulas}}, style)
        if self.type == "expression":
            return ({"formula": formulas[0]}, style)
        if self.type == "duplicateValues":
            return ("duplicates", style)
        if self.type == "containsText":
            return ({"contains": self.text}, style)
        if self.type == "top10":
            return ({"top": {"rank": self.rank or 10, "bottom": bool(self.bottom), "percent": bool(self.percent)}}, style)
        first = area.split(":")[0].replace("$", "")
        fixed = absolute(area)
        if self.type == "aboveAverage":
            sign = "<" if self.aboveAverage is False else ">"
            return ({"formula": f"{first}{sign}AVERAGE({fixed})"}, style)
        if self.type == "uniqueValues":
            return ({"formula": f"COUNTIF({fixed},{first})=1"}, style)
        if self.type == "containsBlanks":
            return ({"formula": f"LEN(TRIM({first}))=0"}, style)
        if self.type == "notContainsBlanks":
            return ({"formula": f"LEN(TRIM({first}))>0"}, style)
        if self.type == "containsErrors":
            return ({"formula": f"ISERROR({first})"}, style)
        if self.type == "beginsWith":
            return ({"formula": f'LEFT({first},{len(self.text)})="{self.text}"'}, style)
        if self.type == "endsWith":
            return ({"formula": f'RIGHT({first},{len(self.text)})="{self.text}"'}, style)
        if self.type == "notContainsText":
            return ({"formula": f'ISERROR(SEARCH("{self.text}",{first}))'}, style)
        raise NotImplementedError(
            f"conditional formats of type {self.type} are not supported in this sandbox; there are: cellIs, expression, "
            "duplicateValues, uniqueValues, containsText, top10, aboveAverage, containsBlanks, colour scales, data bars")


def absolute(area):
    from openpyxl.utils import absolute_coordinate
    return absolute_coordinate(area.split()[0])


_OPERATORS = {">": "greaterThan", ">=": "greaterThanOrEqual", "<": "lessThan", "<=": "lessThanOrEqual", "=": "equal",
              "==": "equal", "!=": "notEqual"}


def CellIsRule(operator=None, formula=None, stopIfTrue=None, font=None, border=None, fill=None):
    rule = Rule("cellIs", formula=formula, operator=_OPERATORS.get(operator, operator))
    rule.dxf = _difference(font, fill, border)
    return rule


def FormulaRule(formula=None, stopIfTrue=None, font=None, border=None, fill=None):
    rule = Rule("expression", formula=formula)
    rule.dxf = _difference(font, fill, border)
    return rule


def ColorScaleRule(start_type=None, start_value=None, start_color=None, mid_type=None, mid_value=None, mid_color=None,
                   end_type=None, end_value=None, end_color=None):
    rule = Rule("colorScale")
    if start_type not in (None, "min") or end_type not in (None, "max") or mid_type not in (None, "percentile"):
        _note("a colour scale goes from the smallest to the largest value; other points are not kept")
    rule._condition = {"color_scale": [_hex(color) for color in (start_color, mid_color, end_color) if color is not None]}
    return rule


def DataBarRule(start_type=None, start_value=None, end_type=None, end_value=None, color=None, showValue=None,
                minLength=None, maxLength=None):
    rule = Rule("dataBar")
    rule._condition = {"data_bar": {"color": _hex(color) or "638EC6"}}
    return rule


DataBar = DataBarRule
ColorScale = ColorScaleRule


def IconSetRule(*args, **kwargs):
    raise NotImplementedError("icon sets are not supported in this sandbox; use ColorScaleRule or CellIsRule")


IconSet = FormatObject = IconSetRule
