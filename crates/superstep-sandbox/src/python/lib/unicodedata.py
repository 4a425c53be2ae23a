"""Kinds and forms of characters."""
import _unicode

unidata_version = "15.0.0"


def _one(chr):
    if not isinstance(chr, str) or len(chr) != 1:
        raise TypeError(f"argument must be a unicode character, not {type(chr).__name__}")
    return chr


def normalize(form, unistr):
    return _unicode.normalize(form, unistr)


def is_normalized(form, unistr):
    return normalize(form, unistr) == unistr


def category(chr):
    return _unicode.category(_one(chr))


def combining(chr):
    return _unicode.combining(_one(chr))


def decimal(chr, *default):
    if _one(chr).isdecimal():
        return int(chr)
    if default:
        return default[0]
    raise ValueError("not a decimal")


def _none(name):
    def refuse(*args):
        raise NotImplementedError(f"unicodedata.{name} is not available in this sandbox; there are: category, combining, normalize")
    return refuse


name, lookup, east_asian_width, bidirectional = _none("name"), _none("lookup"), _none("east_asian_width"), _none("bidirectional")
numeric, digit, decomposition, mirrored = _none("numeric"), _none("digit"), _none("decomposition"), _none("mirrored")
