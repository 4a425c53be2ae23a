ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\x0b\x0c"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([word.capitalize() for word in s.split(sep)])


class Template:
    def __init__(self, template):
        self.template = template

    def _written(self, values, is_safe):
        out, text, at = [], self.template, 0
        while at < len(text):
            c = text[at]
            at += 1
            if c != "$":
                out.append(c)
                continue
            if text[at:at + 1] == "$":
                out.append("$")
                at += 1
                continue
            braced = text[at:at + 1] == "{"
            start = end = at + braced
            while end < len(text) and (text[end] == "_" or text[end].isascii() and text[end].isalnum()):
                end += 1
            name = text[start:end]
            if not name or name[0].isdigit() or braced and text[end:end + 1] != "}":
                if not is_safe:
                    raise ValueError(f"Invalid placeholder in string: line {text[:at].count(chr(10)) + 1}, col {at - text.rfind(chr(10), 0, at) - 1}")
                out.append("$")
                continue
            if name in values:
                out.append(str(values[name]))
            elif is_safe:
                out.append(text[at - 1:end + braced])
            else:
                raise KeyError(name)
            at = end + braced
        return "".join(out)

    def substitute(self, mapping={}, /, **kws):
        return self._written({**mapping, **kws}, False)

    def safe_substitute(self, mapping={}, /, **kws):
        return self._written({**mapping, **kws}, True)


class Formatter:
    def format(self, format_string, /, *args, **kwargs):
        return format_string.format(*args, **kwargs)
