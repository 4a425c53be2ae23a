import re as _re_module

_CELL = _re_module.compile(r"^\$?([A-Za-z]{1,3})\$?([0-9]+)$")


def get_column_letter(idx):
    if not isinstance(idx, int) or not 1 <= idx <= 18278:
        raise ValueError(f"Invalid column index {idx}")
    letters = ""
    while idx > 0:
        idx, rest = divmod(idx - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def column_index_from_string(letters):
    number = 0
    text = letters.replace("$", "").upper()
    if not text or len(text) > 3:
        raise ValueError(f"{letters} is not a valid column name")
    for c in text:
        if not "A" <= c <= "Z":
            raise ValueError(f"{letters} is not a valid column name")
        number = number * 26 + ord(c) - 64
    return number


def coordinate_from_string(text):
    found = _CELL.match(text)
    if found is None:
        raise ValueError(f"Invalid cell coordinates ({text})")
    row = int(found.group(2))
    if row == 0:
        raise ValueError(f"There is no row 0 ({text})")
    return (found.group(1).upper(), row)


def coordinate_to_tuple(text):
    column, row = coordinate_from_string(text)
    return (row, column_index_from_string(column))


def range_boundaries(text):
    """(min_col, min_row, max_col, max_row); what is not said is None."""
    first, _, last = text.replace("$", "").partition(":")
    last = last or first
    found = []
    for part in (first, last):
        letters = "".join(c for c in part if c.isalpha())
        digits = part[len(letters):]
        if (digits and not digits.isdigit()) or not (letters or digits):
            raise ValueError(f"{text} is not a valid coordinate or range")
        found.append(column_index_from_string(letters) if letters else None)
        found.append(int(digits) if digits else None)
    return tuple(found)


def range_to_tuple(text):
    sheet, _, area = text.rpartition("!")
    return (sheet.strip("'"), range_boundaries(area))


def rows_from_range(text):
    left, top, right, bottom = range_boundaries(text)
    for row in range(top, bottom + 1):
        yield tuple([f"{get_column_letter(column)}{row}" for column in range(left, right + 1)])


def cols_from_range(text):
    left, top, right, bottom = range_boundaries(text)
    for column in range(left, right + 1):
        yield tuple([f"{get_column_letter(column)}{row}" for row in range(top, bottom + 1)])


def absolute_coordinate(text):
    parts = []
    for part in text.split(":"):
        column, row = coordinate_from_string(part)
        parts.append(f"${column}${row}")
    return ":".join(parts)


def get_column_interval(start, end):
    if isinstance(start, str):
        start = column_index_from_string(start)
    if isinstance(end, str):
        end = column_index_from_string(end)
    return [get_column_letter(column) for column in range(start, end + 1)]


def quote_sheetname(name):
    return "'" + name.replace("'", "''") + "'"


class FORMULAE:
    pass
