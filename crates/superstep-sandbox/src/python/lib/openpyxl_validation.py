"""What may be entered into cells. A validation that is added is made when the workbook is saved, so that
what a program says about it afterwards counts."""
from openpyxl._refuse import refused

_TYPES = ("list", "whole", "decimal", "date", "time", "textLength", "custom")


class DataValidation:
    def __init__(self, type=None, formula1=None, formula2=None, showErrorMessage=False, showInputMessage=False,
                 showDropDown=False, allowBlank=False, sqref=(), promptTitle=None, errorStyle=None, error=None,
                 prompt=None, errorTitle=None, imeMode=None, operator=None, allow_blank=None):
        if imeMode:
            raise refused("DataValidation(imeMode)")
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
        self.allow_blank = allowBlank if allow_blank is None else allow_blank
        self._areas = [str(area) for area in ([sqref] if isinstance(sqref, str) and sqref else sqref)]
        self._done = 0

    @property
    def allowBlank(self): return self.allow_blank

    @allowBlank.setter
    def allowBlank(self, value): self.allow_blank = value

    @property
    def hide_drop_down(self): return self.showDropDown

    @hide_drop_down.setter
    def hide_drop_down(self, value): self.showDropDown = value

    @property
    def sqref(self): return " ".join(self._areas)

    @sqref.setter
    def sqref(self, value): self._areas = str(value).split()

    @property
    def ranges(self): return list(self._areas)

    def add(self, cell):
        self._areas.append(cell.coordinate if hasattr(cell, "coordinate") else str(cell))

    def __contains__(self, other):
        return str(other) in self._areas

    def _validation(self):
        formulas = [str(each).lstrip("=") for each in (self.formula1, self.formula2) if each is not None]
        if self.type not in _TYPES:
            raise refused(f"data validation of type {self.type}", f"there are: {', '.join(_TYPES)}")
        if not formulas:
            raise ValueError(f"a data validation of type {self.type} needs formula1")
        if self.type == "list":
            text = str(self.formula1)
            if text.startswith('"'):
                return {"list": [part.strip() for part in text.strip('"').split(",")]}
            return {"source": formulas[0]}
        if self.type == "custom":
            return {"custom": formulas[0]}
        return {"range": {"kind": self.type, "operator": self.operator or "between", "formulas": formulas}}

    def _emit(self, ws):
        messages = {
            "shows_error": bool(self.showErrorMessage), "shows_prompt": bool(self.showInputMessage),
            "allows_blank": bool(self.allow_blank), "hides_arrow": bool(self.showDropDown),
        }
        for name, value in (("error", self.error), ("error_title", self.errorTitle), ("prompt", self.prompt),
                            ("prompt_title", self.promptTitle), ("error_style", self.errorStyle)):
            if value:
                messages[name] = str(value)
        areas = [part for area in self._areas for part in area.split()]
        for part in areas[self._done:]:
            ws._op({"op": "validate", "area": part.replace("$", ""), "validation": self._validation(), "messages": messages})
        self._done = len(areas)


class DataValidationList:
    """The validations that a program has added."""
    __slots__ = ("_owner",)

    def __init__(self, ws):
        self._owner = ws

    @property
    def dataValidation(self):
        if any(kind == "validation" for kind, _, _ in self._owner._features()):
            raise refused("reading the data validations that a workbook has")
        return [thing for kind, thing in self._owner._later if kind == "validation"]

    def append(self, validation): self._owner.add_data_validation(validation)
    def __iter__(self): return iter(self.dataValidation)
    def __len__(self): return len(self.dataValidation)
