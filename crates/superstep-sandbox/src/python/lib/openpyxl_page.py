"""How a sheet is printed, shown and protected."""
from openpyxl._refuse import Settings, refused
from openpyxl.styles import _hex

_CODES = {"&[Tab]": "&A", "&[Pages]": "&N", "&[Date]": "&D", "&[Path]": "&Z", "&[Page]": "&P", "&[Time]": "&T", "&[File]": "&F"}


class _OfSheet(Settings):
    """Settings of a sheet that are said by one operation each."""

    def __init__(self, ws):
        object.__setattr__(self, "_owner", ws)
        self._start(type(self)._name)

    def _put(self, name, value):
        if value is not None:
            self._owner._op({"op": "page", "page": {type(self)._known[name]: self._made(name, value)}})

    def _made(self, name, value):
        return value

    def _stored(self, name):
        for kind, _, what in self._owner._features():
            if kind == "page" and what.startswith(name + " "):
                text = what[len(name) + 1:]
                return int(text) if text.isdigit() else text
        return None


class PrintPageSetup(_OfSheet):
    _name = "ws.page_setup"
    _known = {"orientation": "orientation", "paperSize": "paper", "scale": "scale", "fitToWidth": "fit_width",
              "fitToHeight": "fit_height", "fitToPage": "fits"}

    def _made(self, name, value):
        if name == "orientation":
            return str(value)
        return bool(value) if name == "fitToPage" else int(value)


class PrintOptions(_OfSheet):
    _name = "ws.print_options"
    _known = {"horizontalCentered": "centered_across", "verticalCentered": "centered_down", "gridLines": "gridlines",
              "headings": "headings"}

    def _made(self, name, value):
        return bool(value)


class PageMargins(Settings):
    _known = {"left": 0.75, "right": 0.75, "top": 1.0, "bottom": 1.0, "header": 0.5, "footer": 0.5}

    def __init__(self, left=0.75, right=0.75, top=1, bottom=1, header=0.5, footer=0.5):
        object.__setattr__(self, "_owner", None)
        self._start("ws.page_margins")
        for name, value in (("left", left), ("right", right), ("top", top), ("bottom", bottom), ("header", header), ("footer", footer)):
            self._set[name] = value

    def _attach(self, ws):
        object.__setattr__(self, "_owner", ws)
        ws._op({"op": "page", "page": {"margins": {name: float(value) for name, value in self._set.items()}}})

    def _put(self, name, value):
        if self._owner is not None:
            self._owner._op({"op": "page", "page": {"margins": {name: float(value)}}})


def _margins(ws):
    """The margins that a sheet has."""
    made = PageMargins()
    object.__setattr__(made, "_owner", ws)
    for kind, _, what in ws._features():
        if kind == "page" and what.startswith("margin "):
            _, side, value = what.split(" ")
            made._set[side] = float(value)
    return made


class _HeaderFooterPart:
    def __init__(self, whole):
        object.__setattr__(self, "_whole", whole)
        for name in ("text", "font", "size", "color"):
            object.__setattr__(self, name, None)

    def __setattr__(self, name, value):
        if name not in ("text", "font", "size", "color"):
            raise refused(f"{self._whole._what}.{name}", "there are: text, font, size, color")
        object.__setattr__(self, name, value)
        self._whole._emit()

    def __str__(self):
        if not self.text:
            return ""
        text = str(self.text)
        for code, short in _CODES.items():
            text = text.replace(code, short)
        made = ""
        if self.font:
            made += f'&"{self.font}"'
        if self.size:
            made += f"&{self.size} "
        if self.color:
            made += f"&K{_hex(self.color)}"
        return made + text


class HeaderFooterItem:
    def __init__(self, ws, key, what):
        object.__setattr__(self, "_owner", ws)
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_what", what)
        for name in ("left", "center", "right"):
            object.__setattr__(self, name, _HeaderFooterPart(self))

    @property
    def centre(self):
        return self.center

    def __setattr__(self, name, value):
        raise refused(f"{self._what}.{name}", "set .left.text, .center.text or .right.text")

    def _emit(self):
        parts = (("&L", str(self.left)), ("&C", str(self.center)), ("&R", str(self.right)))
        self._owner._op({"op": "page", "page": {self._key: "".join(mark + text for mark, text in parts if text)}})


class PageSetupProperties:
    def __init__(self, autoPageBreaks=None, fitToPage=None):
        if autoPageBreaks is not None:
            raise refused("PageSetupProperties(autoPageBreaks)")
        self.fitToPage = fitToPage


class _FitToPage(Settings):
    _known = {"fitToPage": "fits"}

    def __init__(self, ws):
        object.__setattr__(self, "_owner", ws)
        self._start("ws.sheet_properties.pageSetUpPr")

    def _put(self, name, value):
        self._owner._op({"op": "page", "page": {"fits": bool(value)}})

    def _stored(self, name):
        return True if any(kind == "page" and what == "fits pages" for kind, _, what in self._owner._features()) else None


class WorksheetProperties:
    def __init__(self, tabColor=None, pageSetUpPr=None, **others):
        for key in others:
            raise refused(f"WorksheetProperties({key})")
        self.tabColor = tabColor
        self.pageSetUpPr = pageSetUpPr


class SheetProperties(Settings):
    _known = {"tabColor": None, "pageSetUpPr": None}

    def __init__(self, ws):
        object.__setattr__(self, "_owner", ws)
        self._start("ws.sheet_properties")

    def _put(self, name, value):
        if name == "tabColor":
            self._owner._op({"op": "tab_color", "color": None if value is None else _hex(value)})
        elif value is not None and value.fitToPage is not None:
            self._owner._op({"op": "page", "page": {"fits": bool(value.fitToPage)}})

    def _stored(self, name):
        if name == "pageSetUpPr":
            return _FitToPage(self._owner)
        for kind, _, what in self._owner._features():
            if kind == "tab color":
                from openpyxl.styles import Color
                return Color(what) if len(what) == 6 else None
        return None


class SheetView(Settings):
    _known = {"showGridLines": "gridlines", "zoomScale": "zoom", "zoomScaleNormal": "zoom", "tabSelected": None}

    def __init__(self, ws):
        object.__setattr__(self, "_owner", ws)
        self._start("ws.sheet_view")

    @property
    def sheetView(self):
        return [self]

    def _put(self, name, value):
        if name == "tabSelected":
            if value:
                self._owner._op({"op": "activate"})
            return
        self._owner._op({"op": "view", type(self)._known[name]: bool(value) if name == "showGridLines" else int(value)})

    def _stored(self, name):
        views = [what for kind, _, what in self._owner._features() if kind == "view"]
        if name == "showGridLines":
            return "no lines of the grid" not in views
        for what in views:
            if what.startswith("zoom ") and name != "tabSelected":
                return int(what.split(" ")[1])
        return None


class SheetProtection(Settings):
    _known = {"sheet": None, "enabled": None}

    def __init__(self, ws):
        object.__setattr__(self, "_owner", ws)
        self._start("ws.protection")

    def _put(self, name, value):
        self._owner._op({"op": "protect", "protected": bool(value)})

    def _stored(self, name):
        return any(kind == "protection" for kind, _, _ in self._owner._features())

    def enable(self): self.sheet = True
    def disable(self): self.sheet = False

    def set_password(self, value="", already_hashed=False):
        raise refused("a password of a sheet", "ws.protection.sheet = True protects without one")


class SheetFormat(Settings):
    _known = {}

    def __init__(self, ws):
        self._start("ws.sheet_format")
