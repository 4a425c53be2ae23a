from openpyxl.worksheet.datavalidation import DataValidation
ws = workbook["Sales"]
dv = DataValidation(type="list", formula1='"North,South,East,West"', allow_blank=True)
ws.add_data_validation(dv)
dv.add("B2:B11")
whole = DataValidation(type="whole", operator="between", formula1=0, formula2=100)
ws.add_data_validation(whole)
whole.add("D2:D11")
