from openpyxl.worksheet.table import Table, TableStyleInfo
ws = workbook.create_sheet("List")
for row in [["Name", "Points"], ["Ann", 3], ["Ben", 5], ["Cem", 4]]:
    ws.append(row)
table = Table(displayName="Points", ref=f"A1:B{ws.max_row}")
ws.add_table(table)
table.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showFirstColumn=True, showRowStripes=False)
ws["D1"] = "Sum"
ws["D2"] = "=SUM(Points[Points])"
print(list(ws.tables), ws.tables["Points"].ref)
