from openpyxl.styles import Font, PatternFill, Alignment, Border, Side
ws = workbook["Sales"]
thin = Side(style="thin", color="000000")
for cell in ws[1]:
    cell.font = Font(bold=True, color="FFFFFF", size=12)
    cell.fill = PatternFill(start_color="4472C4", end_color="4472C4", fill_type="solid")
    cell.alignment = Alignment(horizontal="center", vertical="center", wrap_text=True)
    cell.border = Border(left=thin, right=thin, top=thin, bottom=thin)
