def squares(n):
    for i in range(n):
        yield i * i
def chained():
    yield from squares(3)
    yield "end"
ws = workbook["Notes"]
for row, value in enumerate(chained(), 1):
    ws.cell(row, 5, value)
ws["F1"] = sum(x for x in squares(10) if x % 2)
