class JSONDecodeError(ValueError):
    pass


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _text(text, ensure_ascii):
    out = ['"']
    for c in text:
        if c in _ESCAPES:
            out.append(_ESCAPES[c])
        elif ord(c) < 32 or (ensure_ascii and ord(c) > 126):
            code = ord(c)
            if code > 0xFFFF:
                code -= 0x10000
                out.append(f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}")
            else:
                out.append(f"\\u{code:04x}")
        else:
            out.append(c)
    out.append('"')
    return "".join(out)


def dumps(value, indent=None, ensure_ascii=True, sort_keys=False, default=None, separators=None):
    comma, colon = separators or (("," if indent is not None else ", "), ": ")
    if isinstance(indent, int):
        indent = " " * indent

    def write(value, depth):
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, str):
            return _text(value, ensure_ascii)
        if isinstance(value, int):
            return str(int(value))
        if isinstance(value, float):
            if value != value:
                return "NaN"
            if value in (float("inf"), float("-inf")):
                return "Infinity" if value > 0 else "-Infinity"
            return repr(value)
        if isinstance(value, (list, tuple)):
            return around("[", "]", [write(item, depth + 1) for item in value], depth)
        if isinstance(value, dict):
            pairs = value.items()
            if sort_keys:
                pairs = sorted(pairs)
            parts = []
            for key, item in pairs:
                if not isinstance(key, str):
                    if key is None or isinstance(key, (int, float)):
                        key = write(key, depth)
                    else:
                        raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")
                parts.append(_text(key, ensure_ascii) + colon + write(item, depth + 1))
            return around("{", "}", parts, depth)
        if default is not None:
            return write(default(value), depth)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    def around(start, end, parts, depth):
        if not parts:
            return start + end
        if indent is None:
            return start + comma.join(parts) + end
        inner = "\n" + indent * (depth + 1)
        return start + inner + (comma + inner).join(parts) + "\n" + indent * depth + end

    return write(value, 0)


def loads(text):
    at = 0
    length = len(text)

    def fail(message):
        raise JSONDecodeError(f"{message}: char {at}")

    def space():
        nonlocal at
        while at < length and text[at] in " \t\n\r":
            at += 1

    def string():
        nonlocal at
        at += 1
        out = []
        while True:
            if at >= length:
                fail("Unterminated string")
            c = text[at]
            at += 1
            if c == '"':
                return "".join(out)
            if c == "\\":
                c = text[at]
                at += 1
                if c == "u":
                    code = int(text[at:at + 4], 16)
                    at += 4
                    if 0xD800 <= code < 0xDC00 and text[at:at + 2] == "\\u":
                        low = int(text[at + 2:at + 6], 16)
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                        at += 6
                    out.append(chr(code))
                else:
                    out.append({"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(c, c))
            else:
                out.append(c)

    def value():
        nonlocal at
        space()
        if at >= length:
            fail("Expecting value")
        c = text[at]
        if c == "{":
            at += 1
            result = {}
            space()
            if at < length and text[at] == "}":
                at += 1
                return result
            while True:
                space()
                if at >= length or text[at] != '"':
                    fail("Expecting property name enclosed in double quotes")
                key = string()
                space()
                if at >= length or text[at] != ":":
                    fail("Expecting ':' delimiter")
                at += 1
                result[key] = value()
                space()
                if at < length and text[at] == ",":
                    at += 1
                elif at < length and text[at] == "}":
                    at += 1
                    return result
                else:
                    fail("Expecting ',' delimiter")
        if c == "[":
            at += 1
            result = []
            space()
            if at < length and text[at] == "]":
                at += 1
                return result
            while True:
                result.append(value())
                space()
                if at < length and text[at] == ",":
                    at += 1
                elif at < length and text[at] == "]":
                    at += 1
                    return result
                else:
                    fail("Expecting ',' delimiter")
        if c == '"':
            return string()
        for word, meaning in (("true", True), ("false", False), ("null", None), ("NaN", float("nan")), ("Infinity", float("inf"))):
            if text[at:at + len(word)] == word:
                at += len(word)
                return meaning
        start = at
        while at < length and text[at] in "+-0123456789.eE":
            at += 1
        number = text[start:at]
        if not number:
            fail("Expecting value")
        try:
            if "." in number or "e" in number or "E" in number:
                return float(number)
            return int(number)
        except ValueError:
            fail("Expecting value")

    result = value()
    space()
    if at != length:
        fail("Extra data")
    return result
