ws = workbook["Sales"]
seen = set()
unique = []
for row in ws.iter_rows(min_row=2, values_only=True):
    key = (row[1], row[2])
    if key not in seen:
        seen.add(key)
        unique.append(row)
out = workbook.create_sheet("Unique")
for row in unique:
    out.append(row)
print(len(unique))
