from openpyxl.styles import PatternFill
ws = workbook["Sales"]
yellow = PatternFill(fill_type="solid", start_color="FFFF00")
for row in ws.iter_rows(min_row=2):
    if not row[5].value:
        for cell in row:
            cell.fill = yellow
