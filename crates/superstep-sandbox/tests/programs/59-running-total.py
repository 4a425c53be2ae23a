ws = workbook["Sales"]
ws["G1"] = "Running"
total = 0
for row in range(2, ws.max_row + 1):
    total += ws.cell(row, 4).value
    ws.cell(row, 7, total)
