"""Ranges of cells, and those that are merged."""
from openpyxl.utils import coordinate_to_tuple, get_column_letter, range_boundaries


class CellRange:
    __slots__ = ("min_col", "min_row", "max_col", "max_row")

    def __init__(self, range_string):
        self.min_col, self.min_row, self.max_col, self.max_row = range_boundaries(range_string)

    @property
    def coord(self):
        return f"{get_column_letter(self.min_col)}{self.min_row}:{get_column_letter(self.max_col)}{self.max_row}"

    @property
    def bounds(self):
        return (self.min_col, self.min_row, self.max_col, self.max_row)

    @property
    def size(self):
        return {"rows": self.max_row - self.min_row + 1, "columns": self.max_col - self.min_col + 1}

    def __contains__(self, coordinate):
        row, column = coordinate_to_tuple(coordinate)
        return self.min_row <= row <= self.max_row and self.min_col <= column <= self.max_col

    def __eq__(self, other):
        return self.coord == (other if isinstance(other, str) else other.coord)

    def __hash__(self): return hash(self.coord)
    def __str__(self): return self.coord
    def __repr__(self): return f"<CellRange {self.coord}>"


class MergedRanges:
    __slots__ = ("_ws",)

    def __init__(self, ws):
        self._ws = ws

    @property
    def ranges(self):
        return [CellRange(text) for text in self._ws._info()["merged"]]

    def __iter__(self): return iter(self.ranges)
    def __len__(self): return len(self.ranges)
    def __contains__(self, coordinate): return any(coordinate == each.coord or (":" not in coordinate and coordinate in each) for each in self.ranges)
    def __str__(self): return " ".join(each.coord for each in self.ranges)
