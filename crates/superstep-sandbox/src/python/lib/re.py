import _re

IGNORECASE = I = 2
MULTILINE = M = 8
DOTALL = S = 16
VERBOSE = X = 64
ASCII = A = 256
UNICODE = U = 32


class error(Exception):
    pass


class Match:
    def __init__(self, pattern, string, spans):
        self.re = pattern
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

    def __getitem__(self, group):
        return self._text(group)

    def __repr__(self):
        return f"<re.Match object; span={self.span()}, match={self.group()!r}>"


class Pattern:
    def __init__(self, pattern, flags):
        self.pattern = pattern
        self.flags = flags
        letters = ""
        for flag, letter in ((I, "i"), (M, "m"), (S, "s"), (X, "x")):
            if flags & flag:
                letters += letter
        self._letters = letters
        try:
            self.groups, self.groupindex = _re.check(pattern, letters)
        except ValueError as problem:
            raise error(str(problem)) from None

    def _find(self, pattern, string, pos):
        spans = _re.search(pattern, self._letters, string, pos)
        return None if spans is None else Match(self, string, spans)

    def search(self, string, pos=0):
        return self._find(self.pattern, string, pos)

    def match(self, string, pos=0):
        return self._find("\\G(?:" + self.pattern + ")", string, pos)

    def fullmatch(self, string):
        return self._find("\\A(?:" + self.pattern + ")\\z", string, 0)

    def finditer(self, string, pos=0):
        while pos <= len(string):
            found = self.search(string, pos)
            if found is None:
                return
            yield found
            pos = found.end() if found.end() > found.start() else found.end() + 1

    def findall(self, string):
        result = []
        for found in self.finditer(string):
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
        return f"re.compile({self.pattern!r})"


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
            out.append({"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}.get(after, "\\" + after))
            at += 2
    return "".join(out)


_known = {}


def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
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


def escape(text):
    return "".join(c if c.isalnum() or c == "_" else "\\" + c for c in text)
