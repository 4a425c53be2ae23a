from openpyxl.worksheet.datavalidation import DataValidation
ws = workbook["Sales"]
dv = DataValidation(type="decimal", operator="greaterThan", formula1=0, allow_blank=False)
ws.add_data_validation(dv)
dv.add("D2:D11")
dv.error = "A number above zero"
dv.errorTitle = "Units"
dv.prompt = "How many?"
dv.promptTitle = "Units"
dv.errorStyle = "warning"
dv.showErrorMessage = True
dv.showInputMessage = True
own = DataValidation(type="custom", formula1="=LEN(C2)<20", showErrorMessage=True)
own.add("C2:C11")
ws.add_data_validation(own)
when = DataValidation(type="time", operator="lessThan", formula1="0.5")
when.add(ws["H2"])
ws.add_data_validation(when)
