import _sheet
from openpyxl.workbook import Workbook, _finish, _opened

__version__ = "3.1.5"


def _given():
    return _opened(0, False)


def load_workbook(filename=None, read_only=False, keep_vba=False, data_only=False, keep_links=True, rich_text=False):
    name = str(filename).replace("\\", "/").split("/")[-1]
    if name != _sheet.file() and str(filename) != _sheet.file():
        raise FileNotFoundError(
            f"[Errno 2] No such file or directory: {str(filename)!r}; the only workbook in this sandbox is {_sheet.file()!r}")
    return _opened(0, bool(data_only))


open = load_workbook
