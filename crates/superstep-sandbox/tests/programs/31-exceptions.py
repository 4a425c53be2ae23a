class Odd(ValueError):
    pass
def check(n):
    if n % 2:
        raise Odd(f"{n} is odd")
    return n
ws = workbook["Notes"]
for row, n in enumerate([2, 3], 1):
    try:
        ws.cell(row, 4, check(n))
    except Odd as problem:
        ws.cell(row, 4, str(problem))
    finally:
        ws.cell(row, 5, "done")
try:
    {}["missing"]
except KeyError as problem:
    ws["D4"] = repr(problem)
try:
    1 / 0
except (TypeError, ZeroDivisionError) as problem:
    ws["D5"] = type(problem).__name__ + ": " + str(problem)
