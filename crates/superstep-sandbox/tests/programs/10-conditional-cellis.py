from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import PatternFill, Font
ws = workbook["Sales"]
red = PatternFill(start_color="FFC7CE", end_color="FFC7CE", fill_type="solid")
ws.conditional_formatting.add("D2:D11", CellIsRule(operator="greaterThan", formula=["8"], fill=red, font=Font(color="9C0006")))
