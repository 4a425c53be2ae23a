summary = workbook.create_sheet("Summary", 0)
summary["A1"] = "Sheet"
summary["B1"] = "Rows"
for at, ws in enumerate(workbook.worksheets[1:], start=2):
    summary.cell(at, 1, ws.title)
    summary.cell(at, 2, ws.max_row)
summary["D1"] = "=Sales!D2+Notes!B1"
