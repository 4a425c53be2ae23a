from openpyxl.comments import Comment
ws = workbook["Sales"]
for row in range(2, 6):
    ws.cell(row, 2).comment = Comment(f"row {row}\nchecked", "auditor")
ws["B3"].comment = None
print([cell.coordinate for cell in ws["B"] if cell.comment is not None])
print(ws["B2"].comment.text.splitlines(), ws["B2"].comment.author)
