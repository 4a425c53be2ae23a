import _json


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _text(text, ensure_ascii):
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return '"' + text + '"'
    out = ['"']
    for c in text:
        code = ord(c)
        if c in _ESCAPES:
            out.append(_ESCAPES[c])
        elif code < 32 or ensure_ascii and code > 126:
            if code > 0xFFFF:
                code -= 0x10000
                out.append(f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}")
            else:
                out.append(f"\\u{code:04x}")
        else:
            out.append(c)
    out.append('"')
    return "".join(out)


class JSONEncoder:
    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False, indent=None,
                 separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = " " * indent if isinstance(indent, int) else indent
        self.item_separator, self.key_separator = separators or ("," if indent is not None else ", ", ": ")
        self._around = []
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError(f"Object of type {type(o).__name__} is not JSON serializable")

    def encode(self, o):
        return self._write(o, 0)

    def iterencode(self, o):
        yield self.encode(o)

    def _number(self, value):
        if isinstance(value, int):
            return int.__repr__(value)
        if value != value or value in (float("inf"), float("-inf")):
            if not self.allow_nan:
                raise ValueError(f"Out of range float values are not JSON compliant: {value!r}")
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        return float.__repr__(value)

    def _key(self, key):
        if isinstance(key, str):
            return key
        if key is None or key is True or key is False:
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, (int, float)):
            return self._number(key)
        if self.skipkeys:
            return None
        raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")

    def _write(self, value, depth):
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, str):
            return _text(value, self.ensure_ascii)
        if isinstance(value, (int, float)):
            return self._number(value)
        if any(value is outer for outer in self._around):
            raise ValueError("Circular reference detected")
        self._around.append(value)
        if isinstance(value, (list, tuple)):
            text = self._brackets("[", "]", [self._write(item, depth + 1) for item in value], depth)
        elif isinstance(value, dict):
            parts = []
            for key, item in sorted(value.items()) if self.sort_keys else value.items():
                key = self._key(key)
                if key is not None:
                    parts.append(_text(key, self.ensure_ascii) + self.key_separator + self._write(item, depth + 1))
            text = self._brackets("{", "}", parts, depth)
        else:
            text = self._write(self.default(value), depth)
        self._around.pop()
        return text

    def _brackets(self, start, end, parts, depth):
        if not parts:
            return start + end
        if self.indent is None:
            return start + self.item_separator.join(parts) + end
        inner = "\n" + self.indent * (depth + 1)
        return start + inner + (self.item_separator + inner).join(parts) + "\n" + self.indent * depth + end


def dumps(obj, *, cls=JSONEncoder, **kw):
    return (cls or JSONEncoder)(**kw).encode(obj)


def dump(obj, fp, **kw):
    fp.write(dumps(obj, **kw))


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None):
    if cls is not None:
        raise NotImplementedError("decoder classes are not supported in this sandbox; use object_hook")
    if isinstance(s, bytes):
        s = s.decode("utf-8-sig")
    elif not isinstance(s, str):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {type(s).__name__}")
    found = _json.read(s, parse_float, parse_int, parse_constant, object_hook, object_pairs_hook)
    if len(found) == 2:
        raise JSONDecodeError(found[0], s, found[1])
    return found[0]


def load(fp, **kw):
    return loads(fp.read(), **kw)
