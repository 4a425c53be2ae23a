workbook["Notes"].title = "Remarks"
workbook.move_sheet("Remarks", offset=-1)
print(workbook.sheetnames, workbook.index(workbook["Sales"]))
