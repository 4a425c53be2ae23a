"""Values of cells: dates are texts outside of Python."""
import _sheet
import datetime as _dt
from openpyxl.utils.exceptions import IllegalCharacterError


def _set(book, name, row, column, value):
    try:
        _sheet.set(book, name, row, column, value)
    except ValueError as problem:
        if "cannot be used in worksheets" in str(problem):
            raise IllegalCharacterError(f"{value} cannot be used in worksheets.")
        raise


def _read(value):
    if type(value) is not tuple:
        return value
    text, number = value
    if 0 <= number < 1:
        seconds = round(number * 86400)
        return _dt.time(seconds // 3600 % 24, seconds // 60 % 60, seconds % 60)
    return _dt.datetime.fromisoformat(text)


def _write(value):
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, _dt.datetime):
        return (value.replace(microsecond=0).isoformat(),)
    if isinstance(value, _dt.date):
        return (value.isoformat(),)
    if isinstance(value, _dt.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) / 86400
    if isinstance(value, _dt.timedelta):
        return value.total_seconds() / 86400
    if hasattr(value, "__float__"):
        return float(value)
    raise ValueError(f"Cannot convert {value!r} to Excel")
