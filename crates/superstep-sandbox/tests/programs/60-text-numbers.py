ws = workbook["Notes"]
ws["D1"] = "007"
ws["D2"] = int("007")
ws["D3"] = "1e3"
ws["D4"] = float("1e3")
ws["D5"] = 1 / 3
ws["D6"] = 2 ** 40
ws["D7"] = -0.5
