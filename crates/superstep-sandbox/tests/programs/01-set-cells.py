ws = workbook["Sales"]
ws["H1"] = "Total"
ws["H2"] = 12.5
ws.cell(row=3, column=8).value = True
ws.cell(row=4, column=8, value="text")
