from openpyxl.styles import Alignment, Font
workbook["Notes"]["B2"] = None
ws = workbook["Sales"]
ws.insert_rows(1)
ws["A1"] = "Sales 2025"
ws.merge_cells("A1:F1")
ws["A1"].alignment = Alignment(horizontal="center")
ws["A1"].font = Font(size=16, bold=True)
