ws = workbook["Sales"]
regions = sorted({r[1] for r in ws.iter_rows(min_row=2, values_only=True)})
products = sorted({r[2] for r in ws.iter_rows(min_row=2, values_only=True)})
out = workbook.create_sheet("Pivot")
out.append(["Region"] + products)
for region in regions:
    line = [region]
    for product in products:
        line.append(sum(r[3] for r in ws.iter_rows(min_row=2, values_only=True) if r[1] == region and r[2] == product))
    out.append(line)
