ws = workbook["Sales"]
months = {}
for day, region, product, units, price, paid in ws.iter_rows(min_row=2, values_only=True):
    key = day.strftime("%Y-%m")
    months.setdefault(key, []).append(units * price)
out = workbook.create_sheet("Months")
for at, (key, values) in enumerate(sorted(months.items()), 1):
    out.cell(at, 1, key)
    out.cell(at, 2, round(sum(values), 2))
    out.cell(at, 3, len(values))
