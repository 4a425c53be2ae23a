ws = workbook["Notes"]
ws["D1"] = "'=1+1"
ws["D2"] = "+49 30 1234"
ws["D3"] = "x\"]; import os #"
ws["D4"] = "line one\nline two"
