from openpyxl.utils import get_column_letter
ws = workbook["Sales"]
for column in range(1, ws.max_column + 1):
    longest = max(len(str(ws.cell(row, column).value or "")) for row in range(1, ws.max_row + 1))
    ws.column_dimensions[get_column_letter(column)].width = longest + 2
