"""The parts of `os` that need no files: `os.path` and constants."""
import posixpath as path

name, sep, linesep, extsep, curdir, pardir = "posix", "/", "\n", ".", ".", ".."
environ = {}


def getenv(key, default=None):
    return default


def fspath(path):
    return path if isinstance(path, str) else path.__fspath__()


def __getattr__(name):
    raise PermissionError(f"os.{name}: files and processes cannot be reached from this sandbox; the workbook is `workbook`")
