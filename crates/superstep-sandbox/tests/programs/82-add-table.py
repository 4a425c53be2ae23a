from openpyxl.worksheet.table import Table, TableStyleInfo
table = Table(displayName="SalesTable", ref="A1:F11")
table.tableStyleInfo = TableStyleInfo(name="TableStyleMedium9", showRowStripes=True)
workbook["Sales"].add_table(table)
