ws = workbook["Sales"]
for row in range(2, 5):
    ws.cell(row, 6).value = None
ws["A1"].value = None
