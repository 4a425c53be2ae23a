ws = workbook["Sales"]
ws.freeze_panes = "A2"
ws.auto_filter.ref = ws.dimensions
