ws = workbook["Notes"]
ws["D1"] = "kept"
workbook.save("a.xlsx")
ws["D2"] = "kept too"
workbook.save("b.xlsx")
ws["D3"] = "not saved"
