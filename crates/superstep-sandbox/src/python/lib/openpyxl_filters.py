"""The filter of a sheet, and its conditional formats."""
from openpyxl._refuse import absent, refused

_INSTEAD = "hide the rows that do not match (ws.row_dimensions[row].hidden = True), and set ws.auto_filter.ref"


class AutoFilter:
    __slots__ = ("_owner",)

    def __init__(self, ws):
        self._owner = ws

    @property
    def ref(self): return self._owner._info()["filter"]

    @ref.setter
    def ref(self, value): self._owner._op({"op": "filter", "area": value})

    def add_filter_column(self, *args, **kwargs):
        raise refused("ws.auto_filter.add_filter_column", _INSTEAD)

    def add_sort_condition(self, *args, **kwargs):
        raise refused("ws.auto_filter.add_sort_condition", "sort the rows")


    @property
    def filterColumn(self):
        raise refused("ws.auto_filter.filterColumn", _INSTEAD)

    @property
    def sortState(self):
        raise refused("ws.auto_filter.sortState", "sort the rows")


FilterColumn, Filters, CustomFilter = absent("FilterColumn", _INSTEAD), absent("Filters", _INSTEAD), absent("CustomFilter", _INSTEAD)
CustomFilters, DateGroupItem = absent("CustomFilters", _INSTEAD), absent("DateGroupItem", _INSTEAD)
DynamicFilter, ColorFilter, Top10 = absent("DynamicFilter", _INSTEAD), absent("ColorFilter", _INSTEAD), absent("Top10", _INSTEAD)
SortState, SortCondition = absent("SortState", "sort the rows"), absent("SortCondition", "sort the rows")


class ConditionalFormattingList:
    __slots__ = ("_owner",)

    def __init__(self, ws):
        self._owner = ws

    def add(self, area, rule):
        for part in str(area).replace(",", " ").split():
            condition, style = rule._parts(part)
            op = {"op": "conditional_format", "area": part.replace("$", ""), "condition": condition}
            if rule.stopIfTrue:
                op["stops"] = True
            if style is not None:
                op["style"] = style
            self._owner._op(op)

    def __len__(self):
        return len({at for kind, at, _ in self._owner._features() if kind == "conditional format"})

    def __iter__(self):
        raise refused("reading the conditional formats of a sheet")
