ws = workbook["Sales"]
cell = ws["B3"]
print(cell.coordinate, cell.row, cell.column, cell.column_letter, cell.data_type)
print(ws["A1"].font.bold, ws["A2"].is_date, ws.dimensions, ws.max_row, ws.max_column)
print([c.value for c in ws["C2:D3"][1]], cell.offset(1, 1).value)
workbook["Notes"]["D1"] = cell.offset(row=2).coordinate
