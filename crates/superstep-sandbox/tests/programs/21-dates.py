from datetime import datetime, date, timedelta
ws = workbook["Sales"]
ws["G1"] = "Due"
for row in range(2, 5):
    day = ws.cell(row, 1).value
    ws.cell(row, 7).value = day + timedelta(days=30)
    print(day.strftime("%d.%m.%Y"), day.month, isinstance(day, datetime))
ws["G6"] = date(2025, 12, 24)
ws["G7"] = datetime(2025, 12, 24, 18, 30)
