from openpyxl import Workbook
wb = Workbook()
wb.remove(wb.active)
for name in ("One", "Two"):
    ws = wb.create_sheet(name)
    ws["A1"] = name
wb.save("new.xlsx")
