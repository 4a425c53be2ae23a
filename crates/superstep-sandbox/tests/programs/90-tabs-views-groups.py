ws = workbook["Sales"]
ws.sheet_properties.tabColor = "1072BA"
ws.sheet_view.zoomScale = 85
ws.sheet_view.showGridLines = False
ws.row_dimensions.group(2, 5, hidden=True)
ws.row_dimensions.group(7, 9, outline_level=2)
ws.column_dimensions.group("C", "D")
ws.protection.sheet = True
workbook.active = workbook["Notes"]
