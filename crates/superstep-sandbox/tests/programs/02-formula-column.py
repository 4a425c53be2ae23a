ws = workbook["Sales"]
ws["G1"] = "Amount"
for row in range(2, ws.max_row + 1):
    ws[f"G{row}"] = f"=D{row}*E{row}"
