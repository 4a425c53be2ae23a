from openpyxl.formatting.rule import CellIsRule, FormulaRule, Rule
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.styles.differential import DifferentialStyle
ws = workbook["Sales"]
red = DifferentialStyle(font=Font(color="9C0006", bold=True), fill=PatternFill(bgColor="FFC7CE"))
ws.conditional_formatting.add("D2:D11", Rule(type="aboveAverage", aboveAverage=False, dxf=red))
ws.conditional_formatting.add("D2:D11", Rule(type="top10", rank=3, bottom=True, dxf=red))
ws.conditional_formatting.add("C2:C11", Rule(type="uniqueValues", dxf=red))
ws.conditional_formatting.add("A2:A11", Rule(type="timePeriod", timePeriod="lastMonth", dxf=red))
ws.conditional_formatting.add("D2:D11", CellIsRule(operator="between", formula=["5", "$D$3"], stopIfTrue=True, font=Font(italic=True)))
ws.conditional_formatting.add("A2:F11", FormulaRule(formula=['$B2="North"'], border=Border(bottom=Side(style="thin", color="FF0000"))))
