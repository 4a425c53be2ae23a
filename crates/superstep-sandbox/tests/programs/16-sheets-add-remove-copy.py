a = workbook.create_sheet("First", 0)
a["A1"] = 1
b = workbook.copy_worksheet(workbook["Notes"])
b.title = "Notes (2)"
del workbook["Notes"]
print(workbook.sheetnames)
