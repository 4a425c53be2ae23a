"""Paths as texts. There are no files behind them."""
sep, altsep, extsep, pardir, curdir, pathsep = "/", None, ".", "..", ".", ":"


def join(a, *p):
    path = a
    for part in p:
        if part.startswith("/"):
            path = part
        elif not path or path.endswith("/"):
            path += part
        else:
            path += "/" + part
    return path


def split(p):
    at = p.rfind("/") + 1
    head, tail = p[:at], p[at:]
    return (head.rstrip("/") or head, tail)


def splitext(p):
    at = p.rfind(".")
    start = p.rfind("/") + 1
    if at <= start or not p[start:at].strip("."):
        return (p, "")
    return (p[:at], p[at:])


def normpath(path):
    if not path:
        return "."
    start = "//" if path.startswith("//") and not path.startswith("///") else "/" if path.startswith("/") else ""
    parts = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != ".." or not start and not parts or parts and parts[-1] == "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return start + "/".join(parts) or "."


def commonprefix(m):
    if not m:
        return ""
    low, high = min(m), max(m)
    for at, c in enumerate(low):
        if c != high[at]:
            return low[:at]
    return low


def basename(p): return split(p)[1]
def dirname(p): return split(p)[0]
def isabs(s): return s.startswith("/")
def normcase(s): return s
def splitdrive(p): return ("", p)


def _none(name):
    def refuse(*args, **kwargs):
        raise PermissionError(f"os.path.{name}: files cannot be reached from this sandbox; the workbook is `workbook`")
    return refuse


exists, isfile, isdir, getsize, getmtime = _none("exists"), _none("isfile"), _none("isdir"), _none("getsize"), _none("getmtime")
abspath, realpath, expanduser, expandvars = _none("abspath"), _none("realpath"), _none("expanduser"), _none("expandvars")
relpath, islink, samefile = _none("relpath"), _none("islink"), _none("samefile")
