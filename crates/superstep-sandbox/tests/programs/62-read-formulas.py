ws = workbook["Notes"]
value = ws["B2"].value
ws["D1"] = value[1:]
ws["D2"] = value.startswith("=")
ws["D3"] = ws["B2"].data_type
