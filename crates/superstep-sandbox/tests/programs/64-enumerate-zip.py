ws = workbook["Notes"]
names = ["x", "y", "z"]
for at, (name, value) in enumerate(zip(names, reversed([1, 2, 3])), start=5):
    ws[f"A{at}"] = name
    ws[f"B{at}"] = value
ws["D1"] = all(map(str.isalpha, names)) and any(n == "y" for n in names)
ws["D2"] = max(names, key=lambda n: -ord(n))
ws["D3"] = str(sorted(names, reverse=True))
