from copy import copy
source = workbook["Sales"]["A1"]
target = workbook["Notes"]["A1"]
target.font = copy(source.font)
target.fill = copy(source.fill)
target.number_format = source.number_format
if source.has_style:
    workbook["Notes"]["B1"]._style = copy(source._style)
