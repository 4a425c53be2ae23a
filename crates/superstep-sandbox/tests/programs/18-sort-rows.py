ws = workbook["Sales"]
rows = list(ws.iter_rows(min_row=2, values_only=True))
rows.sort(key=lambda r: (-r[3], r[1]))
for i, row in enumerate(rows, start=2):
    for j, value in enumerate(row, start=1):
        ws.cell(row=i, column=j, value=value)
