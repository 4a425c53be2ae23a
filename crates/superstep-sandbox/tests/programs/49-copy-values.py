source = workbook["Sales"]
target = workbook.create_sheet("Copy")
for row in source.iter_rows():
    for cell in row:
        target.cell(row=cell.row, column=cell.column, value=cell.value)
