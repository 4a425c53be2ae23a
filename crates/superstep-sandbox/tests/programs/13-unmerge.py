ws = workbook["Notes"]
ws.merge_cells(start_row=5, start_column=1, end_row=6, end_column=2)
print([str(r) for r in ws.merged_cells.ranges])
ws.unmerge_cells("A5:B6")
ws["B6"] = "free"
