ws = workbook["Sales"]
ws["G1"] = "Size"
for row in range(2, ws.max_row + 1):
    ws.cell(row=row, column=7).value = f'=IF(D{row}>=10,"large","small")'
ws["I1"] = '=COUNTIF(G2:G11,"large")'
ws["I2"] = "=VLOOKUP(\"Pear\",C2:E11,3,FALSE)"
