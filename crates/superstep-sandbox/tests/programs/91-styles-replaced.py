from openpyxl.styles import Alignment, Border, Color, Font, PatternFill, Protection, Side
ws = workbook["Sales"]
ws["B2"].font = Font(name="Arial", size=16, color="FF0000", bold=True, italic=True)
ws["B2"].alignment = Alignment(horizontal="center", vertical="top", textRotation=45, wrap_text=True)
ws["B2"].font = Font(underline="single")
ws["B2"].alignment = Alignment(indent=2, horizontal="left")
ws["B3"].font = Font(color=Color(theme=4, tint=0.4))
ws["B3"].fill = PatternFill("solid", fgColor=Color(theme=6))
ws["B4"].alignment = Alignment(textRotation=90, shrink_to_fit=True)
ws["B5"].protection = Protection(locked=False)
ws["B6"].border = Border(left=Side(style="double", color="00FF00"), bottom=Side(style="medium"))
ws["B7"].fill = PatternFill("solid", fgColor="FFFF00")
ws["B7"].fill = PatternFill()
