ws = workbook["Notes"]
ws.move_range("A1:B1", rows=5, cols=1)
