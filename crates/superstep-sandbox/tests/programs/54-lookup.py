prices = {"Apple": 1.5, "Pear": 2.25, "Plum": 0.8}
ws = workbook["Sales"]
ws["G1"] = "List price"
ws["H1"] = "Deviation"
for row in range(2, ws.max_row + 1):
    price = prices.get(ws[f"C{row}"].value)
    ws[f"G{row}"] = price
    if price is not None:
        ws[f"H{row}"] = round(ws[f"E{row}"].value - price, 2)
