workbook["Notes"]["B2"] = None
ws = workbook["Sales"]
for row in range(ws.max_row, 1, -1):
    if ws.cell(row, 2).value == "South":
        ws.delete_rows(row)
print(ws.max_row)
