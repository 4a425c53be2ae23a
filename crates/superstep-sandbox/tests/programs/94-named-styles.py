from copy import copy
from openpyxl.styles import Border, Font, NamedStyle, Side
names = [
    "Normal", "Comma", "Currency", "Percent", "Comma [0]", "Currency [0]", "Hyperlink", "Followed Hyperlink",
    "Note", "Warning Text", "Title", "Headline 1", "Headline 2", "Headline 3", "Headline 4", "Input",
    "Output", "Calculation", "Check Cell", "Linked Cell", "Total", "Good", "Bad", "Neutral", "Accent1",
    "20 % - Accent2", "40 % - Accent3", "60 % - Accent6", "Explanatory Text",
]
ws = workbook.create_sheet("Styles")
for row, name in enumerate(names, start=1):
    ws.cell(row, 1).value = name
    ws.cell(row, 1).style = name
own = NamedStyle(name="own", font=Font(italic=True), border=Border(bottom=Side(style="thin")))
own.number_format = "0.000"
ws["B1"].style = own
ws["B2"].style = "own"
ws["B2"].font = Font(bold=True)
ws["B3"].fill = copy(ws["A22"].fill)
ws["B3"].style = "Normal"
print(ws["A1"].style, ws["A22"].style, ws["B1"].style, ws["B2"].style, ws["B3"].style)
