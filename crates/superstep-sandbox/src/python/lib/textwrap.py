"""Texts cut into lines of a width."""
import re
_space = "\t\n\x0b\x0c\r "


def _split(text, breaks):
    if not breaks:
        return [piece for piece in re.split(r"(\s+)", text) if piece]
    pieces = []
    for run in re.split(r"(\s+)", text):
        start = 0
        for at in range(1, len(run) - 1):
            is_within = run[at] == "-" and run[at - 1].isalpha() and run[at + 1].isalpha()
            if is_within and at - start >= 2 and run[at - 2:at].isalpha() and run[at + 1:at + 3].isalpha() and len(run) - at > 2:
                pieces.append(run[start:at + 1])
                start = at + 1
        if run[start:]:
            pieces.append(run[start:])
    return pieces


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True, replace_whitespace=True,
                 fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, tabsize=8,
                 *, max_lines=None, placeholder=" [...]"):
        if fix_sentence_endings:
            raise NotImplementedError("fix_sentence_endings is not supported in this sandbox")
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def wrap(self, text):
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = "".join([" " if c in _space else c for c in text])
        pieces = _split(text, self.break_on_hyphens)
        pieces.reverse()
        lines = []
        while pieces:
            indent = self.subsequent_indent if lines else self.initial_indent
            room = self.width - len(indent)
            if self.drop_whitespace and lines and pieces[-1].strip() == "":
                pieces.pop()
            line, used = [], 0
            while pieces and used + len(pieces[-1]) <= room:
                used += len(pieces[-1])
                line.append(pieces.pop())
            if pieces and len(pieces[-1]) > room:
                self._long(pieces, line, used, room)
                used = sum(map(len, line))
            if self.drop_whitespace and line and line[-1].strip() == "":
                used -= len(line.pop())
            if not line:
                continue
            is_last = self.max_lines is not None and len(lines) + 1 >= self.max_lines
            rest = [piece for piece in pieces if piece.strip()] if self.drop_whitespace else pieces
            if not is_last or not rest:
                lines.append(indent + "".join(line))
                continue
            while line and not (line[-1].strip() and used + len(self.placeholder) <= room):
                used -= len(line.pop())
            if line:
                lines.append(indent + "".join(line) + self.placeholder)
            elif lines and len(lines[-1].rstrip()) + len(self.placeholder) <= self.width:
                lines[-1] = lines[-1].rstrip() + self.placeholder
            else:
                lines.append(indent + self.placeholder.lstrip())
            break
        return lines

    def _long(self, pieces, line, used, room):
        left = max(room - used, 1) if room >= 1 else 1
        if self.break_long_words:
            piece = pieces[-1]
            end = left
            if self.break_on_hyphens and len(piece) > left:
                hyphen = piece.rfind("-", 0, left)
                if hyphen > 0 and any(c != "-" for c in piece[:hyphen]):
                    end = hyphen + 1
            line.append(piece[:end])
            pieces[-1] = piece[end:]
        elif not line:
            line.append(pieces.pop())

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))


def indent(text, prefix, predicate=None):
    keeps = predicate or (lambda line: line.strip())
    return "".join([prefix + line if keeps(line) else line for line in text.splitlines(True)])


def dedent(text):
    lines = ["" if not line.strip(" \t") else line for line in text.split("\n")]
    margin = None
    for line in lines:
        if not line:
            continue
        start = line[:len(line) - len(line.lstrip(" \t"))]
        if margin is None:
            margin = start
        while not start.startswith(margin):
            margin = margin[:-1]
    return "\n".join([line[len(margin or ""):] for line in lines])
