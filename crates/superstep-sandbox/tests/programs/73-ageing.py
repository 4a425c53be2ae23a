from datetime import datetime
ws = workbook["Sales"]
today = datetime(2025, 5, 1)
buckets = {"0-30": 0, "31-60": 0, "61-90": 0, ">90": 0}
for row in ws.iter_rows(min_row=2, values_only=True):
    age = (today - row[0]).days
    amount = row[3] * row[4]
    if age <= 30:
        buckets["0-30"] += amount
    elif age <= 60:
        buckets["31-60"] += amount
    elif age <= 90:
        buckets["61-90"] += amount
    else:
        buckets[">90"] += amount
out = workbook.create_sheet("Ageing")
for name, amount in buckets.items():
    out.append([name, round(amount, 2)])
