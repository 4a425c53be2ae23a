from openpyxl.comments import Comment
workbook["Notes"]["A1"].comment = Comment("look here", "reviewer")
