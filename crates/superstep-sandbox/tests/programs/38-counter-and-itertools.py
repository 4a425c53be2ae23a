from collections import Counter, OrderedDict, namedtuple
from itertools import groupby, chain, islice, accumulate, product
ws = workbook["Sales"]
counts = Counter(row[2] for row in ws.iter_rows(min_row=2, values_only=True))
out = workbook["Notes"]
for at, (name, count) in enumerate(counts.most_common(), 1):
    out.cell(at, 6, name)
    out.cell(at, 7, count)
Point = namedtuple("Point", "x y")
point = Point(3, y=4)
out["H1"] = point.x + point.y
out["H2"] = str(list(accumulate([1, 2, 3])))
out["H3"] = str([(k, len(list(g))) for k, g in groupby("aabccc")])
out["H4"] = str(list(islice(chain([1], [2, 3]), 2)))
out["H5"] = len(list(product("ab", repeat=3)))
