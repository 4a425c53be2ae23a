workbook["Notes"]["B2"] = None
ws = workbook["Sales"]
ws.insert_cols(2)
ws["B1"] = "Id"
for n, row in enumerate(range(2, ws.max_row + 1), 1):
    ws.cell(row, 2).value = n
ws.delete_cols(7)
