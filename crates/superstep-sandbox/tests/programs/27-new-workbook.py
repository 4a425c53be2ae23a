from openpyxl import Workbook
wb = Workbook()
ws = wb.active
ws.title = "Made"
for i in range(1, 6):
    ws.append([i, i * i, f"=A{i}+B{i}"])
wb.save("new.xlsx")
