ws = workbook["Sales"]
rows = sorted(ws.iter_rows(min_row=2, values_only=True), key=lambda r: r[3] * r[4], reverse=True)[:3]
out = workbook.create_sheet("Top")
for rank, row in enumerate(rows, 1):
    out.append([rank, row[2], row[1], round(row[3] * row[4], 2)])
