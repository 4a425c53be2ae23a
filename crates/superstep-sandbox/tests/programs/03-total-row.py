ws = workbook["Sales"]
last = ws.max_row
ws[f"C{last + 1}"] = "Sum"
ws[f"D{last + 1}"] = f"=SUM(D2:D{last})"
