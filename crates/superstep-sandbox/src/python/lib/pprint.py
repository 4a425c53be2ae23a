"""Values over several lines, where one is too long."""


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
        if depth is not None or compact or underscore_numbers:
            raise NotImplementedError("depth, compact and underscore_numbers of pprint are not supported in this sandbox")
        self._indent = indent
        self._width = width
        self._stream = stream
        self._sorts = sort_dicts

    def pprint(self, object):
        print(self.pformat(object), file=self._stream)

    def pformat(self, object):
        return self._text(object, 0, 0)

    def _pairs(self, value):
        pairs = list(value.items())
        if self._sorts:
            try:
                pairs.sort(key=lambda pair: pair[0])
            except TypeError:
                pairs.sort(key=lambda pair: (str(type(pair[0])), repr(pair[0])))
        return pairs

    def _short(self, value):
        """All in one line."""
        kind = type(value)
        if kind is dict:
            return "{" + ", ".join([f"{self._short(key)}: {self._short(item)}" for key, item in self._pairs(value)]) + "}"
        if kind is list:
            return "[" + ", ".join(map(self._short, value)) + "]"
        if kind is tuple:
            return "(" + ", ".join(map(self._short, value)) + (",)" if len(value) == 1 else ")")
        return repr(value)

    def _text(self, value, column, after):
        short = self._short(value)
        kind = type(value)
        if column + len(short) + after <= self._width or kind not in (dict, list, tuple, set, frozenset, str) or not value:
            return short
        if kind is str:
            return self._long_text(value, column, after) or short
        inner = column + self._indent
        start, end = {dict: ("{", "}"), list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})")}[kind]
        inner += len(start) - 1
        items = self._pairs(value) if kind is dict else sorted(value) if kind in (set, frozenset) else list(value)
        lines = []
        for at, item in enumerate(items):
            behind = after + len(end) if at + 1 == len(items) else 1
            if kind is dict:
                key = self._short(item[0]) + ": "
                lines.append(key + self._text(item[1], inner + len(key), behind))
            else:
                lines.append(self._text(item, inner, behind))
        if kind is tuple and len(items) == 1:
            lines[0] += ","
        return start + " " * (self._indent - 1) + (",\n" + " " * inner).join(lines) + end

    def _long_text(self, value, column, after):
        """Parts of a text, each in a line of its own; nothing if it has no place to be cut."""
        in_brackets = column == 0
        column += in_brackets
        after += in_brackets
        lines = value.splitlines(True)
        parts = []
        for number, line in enumerate(lines):
            is_last = number + 1 == len(lines)
            room = self._width - column - (after if is_last else 0)
            if len(repr(line)) <= room:
                parts.append(repr(line))
                continue
            words = []
            for word in line.split(" "):
                words.append(word + " ")
            words[-1] = words[-1][:-1]
            current = ""
            for at, word in enumerate(words):
                most = self._width - column - (after if is_last and at + 1 == len(words) else 0)
                if current and len(repr(current + word)) > most:
                    parts.append(repr(current))
                    current = word
                else:
                    current += word
            if current:
                parts.append(repr(current))
        if len(parts) == 1:
            return parts[0]
        text = ("\n" + " " * column).join(parts)
        return f"({text})" if in_brackets else text


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pformat(object)


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts, underscore_numbers=underscore_numbers).pprint(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)
