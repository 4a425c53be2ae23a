from openpyxl.formatting.rule import ColorScaleRule, DataBarRule, FormulaRule
from openpyxl.styles import Font
ws = workbook["Sales"]
ws.conditional_formatting.add("E2:E11", ColorScaleRule(start_type="min", start_color="F8696B", end_type="max", end_color="63BE7B"))
ws.conditional_formatting.add("D2:D11", DataBarRule(start_type="min", end_type="max", color="638EC6"))
ws.conditional_formatting.add("A2:F11", FormulaRule(formula=["$F2=FALSE"], font=Font(italic=True)))
