from openpyxl.styles import NamedStyle, Font, PatternFill
style = NamedStyle(name="highlight")
style.font = Font(bold=True, color="FF0000")
style.fill = PatternFill("solid", fgColor="FFFF00")
workbook.add_named_style(style)
workbook["Sales"]["B2"].style = "highlight"
workbook["Sales"]["E2"].style = "Percent"
