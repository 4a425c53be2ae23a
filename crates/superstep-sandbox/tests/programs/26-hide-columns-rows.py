ws = workbook["Sales"]
ws.column_dimensions["F"].hidden = True
ws.row_dimensions[3].hidden = True
ws.row_dimensions[1].height = 30
workbook["Notes"].sheet_state = "hidden"
