a = {1, 2, 3}
b = set(range(2, 6))
ws = workbook["Notes"]
ws["D1"] = str(sorted(a & b))
ws["D2"] = str(sorted(a | b))
ws["D3"] = str(sorted(a - b))
ws["D4"] = str(sorted(a ^ b))
ws["D5"] = a <= {1, 2, 3, 4}
