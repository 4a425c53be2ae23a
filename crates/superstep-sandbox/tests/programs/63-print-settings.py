ws = workbook["Sales"]
ws.page_setup.orientation = "landscape"
ws.print_title_rows = "1:1"
ws.sheet_view.showGridLines = False
ws["G1"] = "set"
