ws = workbook["Sales"]
print("rows:", ws.max_row)
print(*[c.value for c in ws[1]], sep="|", end="!\n")
