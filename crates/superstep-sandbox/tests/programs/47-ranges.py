ws = workbook["Sales"]
total = 0
for row in ws["D2:E4"]:
    for cell in row:
        total += cell.value
workbook["Notes"]["D1"] = round(total, 2)
workbook["Notes"]["D2"] = len(ws["A"])
workbook["Notes"]["D3"] = len(ws[2])
workbook["Notes"]["D4"] = sum(c.value for (c,) in ws.iter_rows(min_row=2, max_row=4, min_col=4, max_col=4))
workbook["Notes"]["D5"] = [col[0].value for col in ws.iter_cols(min_col=2, max_col=3)][1]
