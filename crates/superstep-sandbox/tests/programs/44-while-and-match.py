def name(value):
    match value:
        case 0 | 1:
            return "small"
        case int():
            return "number"
        case [x, y]:
            return f"pair {x} {y}"
        case "a" as text if text:
            return "letter " + text
        case _:
            return "other"
ws = workbook["Notes"]
n, row = 27, 1
while n != 1 and row < 8:
    ws.cell(row, 4, n)
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    row += 1
else:
    ws["E1"] = "end"
ws["F1"] = "/".join(name(v) for v in (1, 7, (2, 3), "a", None))
