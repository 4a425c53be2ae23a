ws = workbook["Sales"]
for row in ws.iter_rows(min_row=2, min_col=5, max_col=5):
    for cell in row:
        cell.number_format = "#,##0.00"
