from decimal import Decimal, ROUND_HALF_UP
ws = workbook["Sales"]
total = Decimal("0")
for row in range(2, 12):
    total += Decimal(str(ws.cell(row, 4).value)) * Decimal(str(ws.cell(row, 5).value))
out = workbook["Notes"]
out["D1"] = str(total)
out["D2"] = float(total.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))
out["D3"] = str(Decimal("1") / Decimal("3"))
out["D4"] = str(Decimal("2.50") + 1)
