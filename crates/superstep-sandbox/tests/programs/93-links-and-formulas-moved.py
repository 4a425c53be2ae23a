from openpyxl.formula.translate import Translator
from openpyxl.worksheet.hyperlink import Hyperlink
ws = workbook["Notes"]
ws["A6"] = "to the sales"
ws["A6"].hyperlink = Hyperlink(ref="A6", location="Sales!A1", tooltip="Sales")
ws["A7"].hyperlink = "mailto:someone@example.com"
ws["A8"].hyperlink = "https://example.com"
ws["A8"].hyperlink = None
print(ws["A7"].hyperlink.target, ws["A8"].hyperlink, ws["A7"].value)
ws["D1"] = "=SUM(Sales!$D$2:D3)*A1"
ws["D2"] = Translator("=SUM(Sales!$D$2:D3)*A1", origin="D1").translate_formula("E3")
ws.move_range("D1", rows=3, cols=1, translate=True)
