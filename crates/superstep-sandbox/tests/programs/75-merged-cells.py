from openpyxl.cell.cell import MergedCell
ws = workbook["Notes"]
ws.merge_cells("D1:F1")
ws["D1"] = "wide"
kinds = [isinstance(c, MergedCell) for c in ws[1]]
ws["A7"] = str(kinds[3:6])
try:
    ws["E1"] = 1
except AttributeError as problem:
    ws["A8"] = "read-only" in str(problem)
