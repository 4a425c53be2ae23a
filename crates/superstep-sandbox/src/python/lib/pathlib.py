"""Paths as texts with parts. There are no files behind them."""
import posixpath


class PurePath:
    def __init__(self, *parts):
        path = posixpath.join(*[str(part) for part in parts]) if parts else ""
        self.root = self.anchor = "/" if path.startswith("/") else ""
        self.drive = ""
        self._names = tuple([name for name in path.split("/") if name not in ("", ".")])

    @property
    def parts(self): return (("/",) if self.root else ()) + self._names

    @property
    def name(self): return self._names[-1] if self._names else ""

    @property
    def suffix(self):
        at = self.name.rfind(".")
        return self.name[at:] if 0 < at < len(self.name) - 1 else ""

    @property
    def suffixes(self):
        if self.name.endswith("."):
            return []
        return ["." + suffix for suffix in self.name.lstrip(".").split(".")[1:]]

    @property
    def stem(self): return self.name[:len(self.name) - len(self.suffix)]

    def _made(self, names): return type(self)(self.root + "/".join(names))

    @property
    def parent(self): return self._made(self._names[:-1])

    @property
    def parents(self): return tuple([self._made(self._names[:at]) for at in reversed(range(len(self._names)))])

    def joinpath(self, *others): return type(self)(self, *others)
    def __truediv__(self, other): return type(self)(self, other)
    def __rtruediv__(self, other): return type(self)(other, self)

    def with_name(self, name):
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        return self._made(self._names[:-1] + (name,))

    def with_stem(self, stem): return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix):
        if suffix and (not suffix.startswith(".") or suffix == "."):
            raise ValueError(f"Invalid suffix {suffix!r}")
        return self.with_name(self.stem + suffix)

    def is_absolute(self): return bool(self.root)
    def as_posix(self): return str(self)

    def is_relative_to(self, *other):
        parts = type(self)(*other).parts
        return self.parts[:len(parts)] == parts

    def relative_to(self, *other):
        base = type(self)(*other)
        if not self.is_relative_to(base):
            raise ValueError(f"{str(self)!r} is not in the subpath of {str(base)!r} OR one path is relative and the other is absolute.")
        return type(self)("/".join(self.parts[len(base.parts):]))

    def match(self, path_pattern):
        raise NotImplementedError("patterns of paths are not supported in this sandbox")

    def __fspath__(self): return str(self)
    def __str__(self): return self.root + "/".join(self._names) or "."
    def __repr__(self): return f"{type(self).__name__}({str(self)!r})"
    def __eq__(self, other): return self.parts == other.parts if isinstance(other, PurePath) else NotImplemented
    def __lt__(self, other): return self.parts < other.parts if isinstance(other, PurePath) else NotImplemented
    def __hash__(self): return ("path",) + self.parts


class PurePosixPath(PurePath):
    pass


class Path(PurePosixPath):
    """A path that can be taken apart, but not opened."""

    def __getattr__(self, name):
        if name in ("open", "read_text", "write_text", "read_bytes", "write_bytes", "exists", "is_file", "is_dir", "mkdir", "glob",
                    "rglob", "iterdir", "stat", "unlink", "rename", "resolve", "absolute", "touch", "expanduser"):
            raise PermissionError(f"Path.{name}: files cannot be reached from this sandbox; the workbook is `workbook`")
        raise AttributeError(f"'PosixPath' object has no attribute {name!r}")

    @classmethod
    def cwd(cls):
        raise PermissionError("Path.cwd: files cannot be reached from this sandbox; the workbook is `workbook`")

    home = cwd

    def __repr__(self): return f"PosixPath({str(self)!r})"


PosixPath = Path


def PureWindowsPath(*parts):
    raise NotImplementedError("paths of Windows are not supported in this sandbox")


WindowsPath = PureWindowsPath
