from datetime import datetime, date, timedelta
ws = workbook["Notes"]
day = datetime.strptime("24.12.2025 18:30", "%d.%m.%Y %H:%M")
ws["D1"] = day
ws["D2"] = (date(2025, 3, 1) - date(2025, 2, 1)).days
ws["D3"] = day.strftime("%A %d %B %Y %j")
ws["D4"] = str(day - timedelta(hours=20))
ws["D5"] = day.isocalendar()[1]
ws["D6"] = (date(2024, 2, 29) + timedelta(days=365)).isoformat()
