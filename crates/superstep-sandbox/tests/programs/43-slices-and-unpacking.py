ws = workbook["Notes"]
first, *middle, last = [1, 2, 3, 4, 5]
items = list(range(10))
items[2:5] = ["x"]
del items[-1]
a, (b, c) = 1, (2, 3)
ws["D1"] = str((first, middle, last))
ws["D2"] = str(items)
ws["D3"] = str(items[::-2])
ws["D4"] = a + b + c
x = y = [1]
x += [2]
ws["D5"] = str(y)
