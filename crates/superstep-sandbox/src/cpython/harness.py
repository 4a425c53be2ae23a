"""Runs a program on a workbook and writes down how it ended."""
import errno
import io
import json
import mimetypes
import os
import signal
import sys
import traceback

# openpyxl would read files of the system that Landlock does not show, and fail.
mimetypes.knownfiles = []

FOLDER = os.getcwd()
with open("name.json") as file:
    NAME = json.load(file)
with open("program.py", encoding="utf-8") as file:
    PROGRAM = file.read()

with open("seconds.json") as file:
    SECONDS = json.load(file)

import openpyxl
import openpyxl.workbook.workbook
from openpyxl.worksheet.worksheet import Worksheet

load = openpyxl.load_workbook
save = openpyxl.workbook.workbook.Workbook.save
made = {}
saved = []


def load_workbook(filename=None, read_only=False, keep_vba=False, data_only=False, keep_links=True, rich_text=False):
    base = os.path.basename(str(filename).replace("\\", "/"))
    if base != NAME and str(filename) != NAME:
        raise FileNotFoundError(f"[Errno 2] No such file or directory: {str(filename)!r}; the only workbook in this sandbox is {NAME!r}")
    key = bool(data_only)
    if key not in made:
        # Before version 3.1 openpyxl does not know the argument.
        rich = {"rich_text": True} if rich_text else {}
        made[key] = load(os.path.join(FOLDER, "input.xlsx"), data_only=data_only, **rich)
        sheets.extend((sheet, sheet.title) for sheet in made[key]._sheets)
    return made[key]


def save_workbook(self, filename=None):
    kept = io.BytesIO()
    save(self, kept)
    saved[:] = [kept.getvalue(), lineage(self)]


# The sheets of the given workbook, with the names that they had. They are held, so that no other object gets their place.
sheets = []
moved = []


def origin(sheet):
    for known, name in sheets:
        if known is sheet:
            return name
    return None


def lineage(book):
    """Which sheets of a workbook are those of the given one, and what was moved in them."""
    given = made.get(False)
    pairs = [(origin(sheet), sheet.title) for sheet in book._sheets]
    return {"sheets": [pair for pair in pairs if pair[0] is not None], "moved": list(moved), "is_new": book is not given and book is not made.get(True)}


def noted(name):
    """openpyxl moves cells and leaves what names them as it is: that it did so is told."""
    usual = getattr(Worksheet, name)
    kind, _, axis = name.partition("_")

    def call(self, idx, amount=1):
        result = usual(self, idx, amount)
        name = origin(self)
        if name is not None and len(moved) < 1000:
            moved.append({"sheet": name, "kind": kind, "axis": axis, "at": idx, "count": amount})
        return result

    call.__name__ = name
    return call


for each in ("insert_rows", "insert_cols", "delete_rows", "delete_cols"):
    setattr(Worksheet, each, noted(each))

openpyxl.load_workbook = load_workbook
openpyxl.open = load_workbook
openpyxl.reader.excel.load_workbook = load_workbook
openpyxl.workbook.workbook.Workbook.save = save_workbook


def tell(what):
    with open("told.json", "w") as file:
        json.dump(what, file)


def run():
    names = {"__name__": "__main__", "__builtins__": __builtins__}
    names["workbook"] = names["wb"] = load_workbook(NAME)
    before = io.BytesIO()
    save(names["workbook"], before)
    # The kernel ends the process when the time of the program is over; who removes this clock meets the next limit.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        exec(compile(PROGRAM, "program.py", "exec"), names)
    except SystemExit as ending:
        if ending.code not in (None, 0):
            raise
    signal.setitimer(signal.ITIMER_REAL, 0)
    # Who saves what was not changed wants the workbook as it is, and not as openpyxl writes it.
    if saved and not saved[1]["is_new"] and parts(io.BytesIO(saved[0])) == parts(before):
        saved.clear()
        return
    if not saved and False in made:
        after = io.BytesIO()
        save(made[False], after)
        if parts(after) != parts(before):
            saved[:] = [after.getvalue(), lineage(made[False])]


def parts(kept):
    """What is in a workbook, without the time at which it was written."""
    import zipfile
    with zipfile.ZipFile(kept) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "docProps/core.xml"}


try:
    run()
    sys.stdout.flush()
    if saved:
        with open("output.xlsx", "wb") as file:
            file.write(saved[0])
        tell({"saved": saved[1]})
    else:
        tell("nothing")
except MemoryError:
    made.clear()
    saved.clear()
    tell("memory")
except BaseException as problem:
    if isinstance(problem, OSError) and problem.errno == errno.ENOSPC:
        made.clear()
        saved.clear()
        tell("disk")
        sys.exit(0)
    kind = type(problem)
    text = traceback.format_exception(kind, problem, problem.__traceback__)
    own = [part for part in text if "harness.py" not in part]
    line = None
    for frame, number in traceback.walk_tb(problem.__traceback__):
        if frame.f_code.co_filename == "program.py":
            line = number
    if isinstance(problem, SyntaxError):
        line = problem.lineno
    tell({"raised": {"class": kind.__name__, "message": str(problem)[:10000], "line": line, "traceback": "".join(own)[:20000].rstrip()}})
    sys.stdout.flush()
