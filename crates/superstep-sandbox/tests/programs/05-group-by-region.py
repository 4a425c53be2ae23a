from collections import defaultdict
ws = workbook["Sales"]
totals = defaultdict(float)
for row in ws.iter_rows(min_row=2, values_only=True):
    totals[row[1]] += row[3] * row[4]
out = workbook.create_sheet("Regions")
out.append(["Region", "Amount"])
for region, amount in sorted(totals.items()):
    out.append([region, round(amount, 2)])
