import _sheet
from openpyxl.styles import numbers
from openpyxl._refuse import refused


def _hex(color):
    """A color as operations have it: six digits, or its place in the theme or the palette."""
    if color is None:
        return None
    if isinstance(color, Color):
        if color.theme is not None:
            return f"theme:{color.theme}" + (f":{color.tint}" if color.tint else "")
        if color.indexed is not None:
            return f"indexed:{color.indexed}"
        return _hex(color.rgb)
    if isinstance(color, str) and color.startswith(("theme:", "indexed:")):
        return color
    if not isinstance(color, str):
        raise TypeError(f"a color is a text such as 'FF0000', not {color!r}")
    text = color.strip().lstrip("#")
    if len(text) not in (6, 8) or any(c not in "0123456789abcdefABCDEF" for c in text):
        raise ValueError("Colors must be aRGB hex values")
    return text[-6:].upper()


class _Part:
    """What style parts have in common: values by name, copies with changes."""
    _fields = ()

    def __init__(self, *args, **kwargs):
        names = self._fields
        if len(args) > len(names):
            raise TypeError(f"{type(self).__name__}() takes at most {len(names)} arguments")
        for name in names:
            object.__setattr__(self, name, None)
        for name, value in zip(names, args):
            self._put(name, value)
        for name, value in kwargs.items():
            self._put(self._names.get(name, name), value)

    _names = {}
    _frozen = False

    def _freeze(self):
        """As a cell has it: there it is shared, and openpyxl refuses to change it in place."""
        for name in self._fields:
            value = getattr(self, name)
            if isinstance(value, _Part):
                value._freeze()
        object.__setattr__(self, "_frozen", True)
        return self

    def __setattr__(self, name, value):
        if self._frozen:
            raise AttributeError("Style objects are immutable and cannot be changed.Reassign the style with a copy")
        if self._names.get(name, name) not in self._fields:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'; there are: {', '.join(self._fields)}")
        changed = self.copy(**{name: value})
        for field in self._fields:
            object.__setattr__(self, field, getattr(changed, field))

    def _put(self, name, value):
        if name not in self._fields:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{name}' (it takes: {', '.join(self._fields)})")
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name in type(self)._names:
            return getattr(self, type(self)._names[name])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'; there are: {', '.join(self._fields)}")

    def copy(self, **changes):
        values = {name: getattr(self, name) for name in self._fields}
        for name, value in changes.items():
            values[self._names.get(name, name)] = value
        return type(self)(**values)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __eq__(self, other):
        return type(self) is type(other) and all(getattr(self, name) == getattr(other, name) for name in self._fields)

    def __hash__(self):
        return hash(repr(self))

    def __add__(self, other):
        return self.copy(**{name: getattr(other, name) for name in self._fields if getattr(other, name) is not None})

    def __repr__(self):
        given = [f"{name}={getattr(self, name)!r}" for name in self._fields if getattr(self, name) is not None]
        return f"{type(self).__name__}({', '.join(given)})"


class Color(_Part):
    _fields = ("rgb", "indexed", "auto", "theme", "tint", "index", "type")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if isinstance(self.rgb, str):
            digits = _hex(self.rgb)
            object.__setattr__(self, "rgb", ("00" if len(self.rgb.lstrip("#")) == 6 else self.rgb.lstrip("#")[:2].upper()) + digits)
            object.__setattr__(self, "type", "rgb")
        elif self.theme is not None:
            object.__setattr__(self, "type", "theme")
        elif self.indexed is not None:
            object.__setattr__(self, "type", "indexed")
        elif self.auto:
            raise refused("Color(auto)")

    @property
    def value(self):
        return self.rgb if self.type == "rgb" else (self.theme if self.type == "theme" else self.indexed)


BLACK = Color("000000")
WHITE = Color("FFFFFF")


def _color(value):
    if not isinstance(value, str):
        return value
    kind, _, place = value.partition(":")
    if kind == "theme":
        theme, _, tint = place.partition(":")
        return Color(theme=int(theme), tint=float(tint or 0))
    return Color(indexed=int(place)) if kind == "indexed" else Color(value)


class Font(_Part):
    _fields = ("name", "sz", "b", "i", "charset", "u", "strike", "color", "scheme", "family", "vertAlign", "outline",
               "shadow", "condense", "extend")
    _names = {"size": "sz", "bold": "b", "italic": "i", "underline": "u", "strikethrough": "strike"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "color", _color(self.color))
        for name in ("b", "i", "strike"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        for name in ("vertAlign", "outline", "shadow", "condense", "extend"):
            if getattr(self, name):
                raise refused(f"Font({name})")
        if self.u not in (None, "none", False, True, "single"):
            raise refused(f"Font(underline={self.u!r})", "there is single")

    def _usual(self, book):
        usual = _sheet.usual(book)
        return {"font": usual.get("font"), "size": usual.get("size"), "color": "none"}

    def _style(self):
        style = {"bold": self.b, "italic": self.i, "underline": self.u not in (None, "none", False), "strike": self.strike}
        if self.sz is not None:
            style["size"] = float(self.sz)
        if self.name is not None:
            style["font"] = self.name
        color = _hex(self.color)
        if color is not None:
            style["color"] = color
        return style


def _font_of(look):
    return Font(name=look.get("font"), sz=look.get("size"), b=look.get("bold"), i=look.get("italic"),
                u="single" if look.get("underline") else None, strike=look.get("strike"), color=look.get("color"))


class PatternFill(_Part):
    _fields = ("patternType", "fgColor", "bgColor")
    _names = {"fill_type": "patternType", "start_color": "fgColor", "end_color": "bgColor"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "fgColor", _color(self.fgColor) or Color("00000000"))
        object.__setattr__(self, "bgColor", _color(self.bgColor) or Color("00000000"))

    def _style(self):
        if self.patternType in (None, "none"):
            return {"fill": "none"}
        if self.patternType != "solid":
            raise refused(f"the pattern {self.patternType}", "there is solid")
        return {"fill": _hex(self.fgColor) or "none"}

    def _usual(self, book):
        return {}

    def _difference(self):
        # Of a conditional format the background is what shows.
        color = _hex(self.bgColor)
        if color in (None, "000000") and _hex(self.fgColor) != "000000":
            color = _hex(self.fgColor)
        return {"fill": color or "none"}


class GradientFill:
    def __init__(self, *args, **kwargs):
        raise refused("GradientFill", "use PatternFill")


def _fill_of(look):
    if look.get("fill"):
        return PatternFill("solid", fgColor=look["fill"])
    return PatternFill()


class Side(_Part):
    _fields = ("style", "color")
    _names = {"border_style": "style"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "color", _color(self.color))

    def _edge(self):
        edge = {"style": self.style or "none"}
        color = _hex(self.color)
        if color is not None and self.style:
            edge["color"] = color
        return edge


class Border(_Part):
    _fields = ("left", "right", "top", "bottom", "diagonal", "diagonal_direction", "vertical", "horizontal", "outline",
               "diagonalUp", "diagonalDown", "start", "end")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("left", "right", "top", "bottom"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, Side())
        for name in ("diagonal", "diagonal_direction", "vertical", "horizontal", "diagonalUp", "diagonalDown", "start", "end"):
            if getattr(self, name):
                raise refused(f"Border({name})", "there are: left, right, top, bottom")

    def _usual(self, book):
        return {}

    def _style(self):
        return {"border": {name: getattr(self, name)._edge() for name in ("left", "right", "top", "bottom")}}


def _border_of(look):
    edges = look.get("border") or {}
    return Border(**{name: Side(style=edge["style"], color=edge.get("color")) for name, edge in edges.items()})


class Alignment(_Part):
    _fields = ("horizontal", "vertical", "textRotation", "wrapText", "shrinkToFit", "indent", "relativeIndent",
               "justifyLastLine", "readingOrder")
    _names = {"wrap_text": "wrapText", "text_rotation": "textRotation", "shrink_to_fit": "shrinkToFit"}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("relativeIndent", "justifyLastLine", "readingOrder"):
            if getattr(self, name):
                raise refused(f"Alignment({name})")

    def _usual(self, book):
        return {"vertical": "bottom", "rotation": 0, "indent": 0, "shrink": False}

    def _style(self):
        style = {"wrap": bool(self.wrapText), "horizontal": self.horizontal or "general"}
        if self.vertical:
            style["vertical"] = self.vertical
        if self.textRotation:
            turned = int(self.textRotation)
            style["rotation"] = 90 - turned if turned < 0 else turned
        if self.indent:
            style["indent"] = int(self.indent)
        if self.shrinkToFit:
            style["shrink"] = True
        return style


def _alignment_of(look):
    return Alignment(horizontal=look.get("horizontal"), vertical=look.get("vertical"), wrapText=look.get("wrap"),
                     textRotation=look.get("rotation"), indent=look.get("indent", 0), shrinkToFit=look.get("shrink"))


class Protection(_Part):
    _fields = ("locked", "hidden")

    def _usual(self, book):
        return {}

    def _style(self):
        if self.hidden:
            raise refused("Protection(hidden)", "there is locked")
        return {"locked": self.locked is None or bool(self.locked)}


class NamedStyle:
    def __init__(self, name="Normal", font=None, fill=None, border=None, alignment=None, number_format=None, protection=None, builtinId=None, hidden=False):
        self.name = name
        self.font = font
        self.fill = fill
        self.border = border
        self.alignment = alignment
        self.number_format = number_format
        self.protection = protection

    def _style(self):
        style = {}
        for part in (self.font, self.fill, self.border, self.alignment):
            if part is not None:
                style.update(part._style())
        if self.number_format:
            style["number_format"] = self.number_format
        return style


def _box(style, color):
    return {side: {"style": style, "color": color} for side in ("left", "right", "top", "bottom")}


def _body(color="theme:1", **more):
    return {"font": "Calibri", "size": 12.0, "color": color, **more}


def _headline(size, **more):
    return {"bold": True, "font": "Calibri", "size": size, "color": "theme:3", **more}


def _below(style, color):
    return {"bottom": {"style": style, "color": color}}


# The styles that programs have themselves: their numbers, and how they look.
_BUILTIN = {
    "Normal": (0, {}),
    "Comma": (3, _body(number_format='_-* #,##0.00\\ _$_-;\\-* #,##0.00\\ _$_-;_-* "-"??\\ _$_-;_-@_-')),
    "Currency": (4, _body(number_format='_-* #,##0.00\\ "$"_-;\\-* #,##0.00\\ "$"_-;_-* "-"??\\ "$"_-;_-@_-')),
    "Percent": (5, _body(number_format="0%")),
    "Comma [0]": (6, _body(number_format='_-* #,##0\\ _$_-;\\-* #,##0\\ _$_-;_-* "-"\\ _$_-;_-@_-')),
    "Currency [0]": (7, _body(number_format='_-* #,##0\\ "$"_-;\\-* #,##0\\ "$"_-;_-* "-"\\ "$"_-;_-@_-')),
    "Hyperlink": (8, _body("theme:10")),
    "Followed Hyperlink": (9, _body("theme:11")),
    "Note": (10, _body(fill="FFFFFFCC", border=_box("thin", "FFB2B2B2"))),
    "Warning Text": (11, _body("FFFF0000")),
    "Title": (15, {"bold": True, "font": "Cambria", "size": 18.0, "color": "theme:3"}),
    "Headline 1": (16, _headline(15.0, border=_below("thick", "theme:4"))),
    "Headline 2": (17, _headline(13.0, border=_below("thick", "theme:4:0.5"))),
    "Headline 3": (18, _headline(11.0, border=_below("medium", "theme:4:0.4"))),
    "Headline 4": (19, _headline(11.0)),
    "Input": (20, _body("FF3F3F76", fill="FFFFCC99", border=_box("thin", "FF7F7F7F"))),
    "Output": (21, _body("FF3F3F3F", bold=True, fill="FFF2F2F2", border=_box("thin", "FF3F3F3F"))),
    "Calculation": (22, _body("FFFA7D00", bold=True, fill="FFF2F2F2", border=_box("thin", "FF7F7F7F"))),
    "Check Cell": (23, _body("theme:0", bold=True, fill="FFA5A5A5", border=_box("double", "FF3F3F3F"))),
    "Linked Cell": (24, _body("FFFA7D00", border=_below("double", "FFFF8001"))),
    "Total": (25, _body(bold=True, border={"top": {"style": "thin", "color": "theme:4"}, **_below("double", "theme:4")})),
    "Good": (26, _body("FF006100", fill="FFC6EFCE")),
    "Bad": (27, _body("FF9C0006", fill="FFFFC7CE")),
    "Neutral": (28, _body("FF9C6500", fill="FFFFEB9C")),
    "Explanatory Text": (53, _body("FF7F7F7F", italic=True)),
    "Pandas": (None, {"bold": True, "horizontal": "center", "border": _box("thin", "00000000")}),
}

for _number in range(1, 7):
    _accent, _first = f"theme:{_number + 3}", 25 + 4 * _number
    _BUILTIN[f"Accent{_number}"] = (_first, _body("theme:0", fill=_accent))
    _BUILTIN[f"20 % - Accent{_number}"] = (_first + 1, _body(fill=f"{_accent}:0.7999816888943144"))
    _BUILTIN[f"40 % - Accent{_number}"] = (_first + 2, _body(fill=f"{_accent}:0.5999938962981048"))
    _BUILTIN[f"60 % - Accent{_number}"] = (_first + 3, _body("theme:0", fill=f"{_accent}:0.3999755851924192"))


class DifferentialStyle:
    def __init__(self, font=None, numFmt=None, fill=None, alignment=None, border=None, protection=None):
        if numFmt is not None or alignment is not None or protection is not None:
            raise refused("DifferentialStyle(numFmt, alignment, protection)", "there are: font, fill, border")
        self.font = font
        self.fill = fill
        self.border = border

    def _style(self):
        return _difference(self.font, self.fill, self.border)


def _difference(font, fill, border):
    style = {}
    if font is not None:
        for name, value in font._style().items():
            if value not in (False, None):
                style[name] = value
    if fill is not None:
        style.update(fill._difference())
    if border is not None:
        edges = {name: edge for name, edge in border._style()["border"].items() if edge["style"] != "none"}
        if edges:
            style["border"] = edges
    return style


