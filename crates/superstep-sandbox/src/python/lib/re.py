import _re

IGNORECASE = I = 2
MULTILINE = M = 8
DOTALL = S = 16
VERBOSE = X = 64
ASCII = A = 256
UNICODE = U = 32
NOFLAG = 0


class error(Exception):
    pass


class Match:
    def __init__(self, pattern, string, spans, pos):
        self.re = pattern
        self.pos = pos
        self.endpos = len(string)
        self.string = string
        self._spans = spans

    def _at(self, group):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError("no such group")
            return self.re.groupindex[group]
        if group < 0 or group >= len(self._spans):
            raise IndexError("no such group")
        return group

    def _text(self, group, default=None):
        span = self._spans[self._at(group)]
        return default if span is None else span[2]

    def group(self, *groups):
        if not groups:
            return self._text(0)
        if len(groups) == 1:
            return self._text(groups[0])
        return tuple([self._text(group) for group in groups])

    def groups(self, default=None):
        return tuple([self._text(at, default) for at in range(1, len(self._spans))])

    def groupdict(self, default=None):
        return {name: self._text(at, default) for name, at in self.re.groupindex.items()}

    def start(self, group=0):
        span = self._spans[self._at(group)]
        return -1 if span is None else span[0]

    def end(self, group=0):
        span = self._spans[self._at(group)]
        return -1 if span is None else span[1]

    def span(self, group=0):
        return (self.start(group), self.end(group))

    @property
    def lastindex(self):
        found = [at for at in range(1, len(self._spans)) if self._spans[at] is not None]
        return found[-1] if found else None

    @property
    def lastgroup(self):
        names = {at: name for name, at in self.re.groupindex.items()}
        return names.get(self.lastindex)

    def expand(self, template):
        return _expand(template, self)

    def __getitem__(self, group):
        return self._text(group)

    def __repr__(self):
        return f"<re.Match object; span={self.span()}, match={self.group()!r}>"


class Pattern:
    def __init__(self, pattern, flags):
        if not isinstance(pattern, str):
            raise NotImplementedError("patterns of bytes are not supported in this sandbox")
        if flags & ~(I | M | S | X | U):
            raise NotImplementedError("of the flags of re, this sandbox has I, M, S, X and U")
        self.pattern = pattern
        self.flags = flags | U
        letters = ""
        for flag, letter in ((I, "i"), (M, "m"), (S, "s"), (X, "x")):
            if flags & flag:
                letters += letter
        self._letters = letters
        try:
            self.groups, self.groupindex = _re.check(pattern, letters)
        except ValueError as problem:
            raise error(str(problem)) from None

    def _find(self, string, pos, endpos, mode):
        if not isinstance(string, str):
            raise TypeError("cannot use a string pattern on a bytes-like object" if isinstance(string, bytes)
                            else "expected string or bytes-like object")
        if endpos is not None and endpos < len(string):
            string = string[:max(endpos, 0)]
        spans = _re.search(self.pattern, self._letters, string, max(pos, 0), mode)
        return None if spans is None else Match(self, string, spans, pos)

    def search(self, string, pos=0, endpos=None): return self._find(string, pos, endpos, "search")
    def match(self, string, pos=0, endpos=None): return self._find(string, pos, endpos, "match")
    def fullmatch(self, string, pos=0, endpos=None): return self._find(string, pos, endpos, "fullmatch")

    def finditer(self, string, pos=0, endpos=None):
        while pos <= len(string):
            found = self.search(string, pos, endpos)
            if found is None:
                return
            yield found
            pos = found.end() if found.end() > found.start() else found.end() + 1

    def findall(self, string, pos=0, endpos=None):
        result = []
        for found in self.finditer(string, pos, endpos):
            if self.groups == 0:
                result.append(found.group())
            elif self.groups == 1:
                result.append(found.group(1) or "")
            else:
                result.append(found.groups(""))
        return result

    def split(self, string, maxsplit=0):
        parts = []
        last = 0
        for found in self.finditer(string):
            if maxsplit and len(parts) >= maxsplit:
                break
            parts.append(string[last:found.start()])
            parts.extend(found.groups())
            last = found.end()
        parts.append(string[last:])
        return parts

    def subn(self, repl, string, count=0):
        parts = []
        last = 0
        done = 0
        for found in self.finditer(string):
            if count and done >= count:
                break
            parts.append(string[last:found.start()])
            parts.append(repl(found) if callable(repl) else _expand(repl, found))
            last = found.end()
            done += 1
        parts.append(string[last:])
        return ("".join(parts), done)

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def __repr__(self):
        names = [name for flag, name in ((I, "IGNORECASE"), (M, "MULTILINE"), (S, "DOTALL"), (X, "VERBOSE")) if self.flags & flag]
        return f"re.compile({self.pattern!r}" + (", " + "|".join(["re." + name for name in names]) if names else "") + ")"

    def __eq__(self, other): return (self.pattern, self.flags) == (other.pattern, other.flags) if isinstance(other, Pattern) else NotImplemented
    def __hash__(self): return ("pattern", self.pattern, self.flags)


def _expand(template, found):
    if "\\" not in template:
        return template
    out = []
    at = 0
    while at < len(template):
        c = template[at]
        if c != "\\" or at + 1 >= len(template):
            out.append(c)
            at += 1
            continue
        after = template[at + 1]
        if after.isdigit():
            end = at + 2
            if end < len(template) and template[end].isdigit():
                end += 1
            out.append(found.group(int(template[at + 1:end])) or "")
            at = end
        elif after == "g" and template[at + 2:at + 3] == "<":
            end = template.index(">", at)
            name = template[at + 3:end]
            out.append(found.group(int(name) if name.isdigit() else name) or "")
            at = end + 1
        else:
            if after.isascii() and after.isalpha() and after not in "abfnrtv":
                raise error(f"bad escape \\{after} at position {at}")
            out.append({"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}.get(after, "\\" + after))
            at += 2
    return "".join(out)


_known = {}


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    key = (pattern, flags)
    if key not in _known:
        _known[key] = Pattern(pattern, flags)
    return _known[key]


def search(pattern, string, flags=0): return compile(pattern, flags).search(string)
def match(pattern, string, flags=0): return compile(pattern, flags).match(string)
def fullmatch(pattern, string, flags=0): return compile(pattern, flags).fullmatch(string)
def findall(pattern, string, flags=0): return compile(pattern, flags).findall(string)
def finditer(pattern, string, flags=0): return compile(pattern, flags).finditer(string)
def split(pattern, string, maxsplit=0, flags=0): return compile(pattern, flags).split(string, maxsplit)
def sub(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).sub(repl, string, count)
def subn(pattern, repl, string, count=0, flags=0): return compile(pattern, flags).subn(repl, string, count)


_SPECIAL = set("()[]{}?*+-|^$\\.&~# \t\n\r\v\f")


def escape(pattern):
    return "".join(["\\" + c if c in _SPECIAL else c for c in pattern])


def purge():
    _known.clear()
