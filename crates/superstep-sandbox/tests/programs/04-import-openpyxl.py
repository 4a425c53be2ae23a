import openpyxl
wb = openpyxl.load_workbook("sales.xlsx")
wb["Notes"]["D1"] = "loaded"
wb.save("out.xlsx")
