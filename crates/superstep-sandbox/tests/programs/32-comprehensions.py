ws = workbook["Notes"]
grid = [[r * c for c in range(1, 4)] for r in range(1, 4)]
for row in grid:
    ws.append(row)
flat = {value: len(str(value)) for row in grid for value in row}
ws["G1"] = str(sorted(flat.items()))
ws["G2"] = ", ".join(str(v) for v in sorted({v % 4 for r in grid for v in r}))
