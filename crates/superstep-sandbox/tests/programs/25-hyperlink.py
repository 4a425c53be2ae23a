ws = workbook["Notes"]
ws["A5"].hyperlink = "https://example.com/report"
ws["A5"].value = "Report"
ws["A5"].style = "Normal"
