import re
ws = workbook["Notes"]
ws["A3"] = ws["A3"].value.strip()
number = ws["C1"].value
ws["D1"] = float(number.replace(".", "").replace(",", "."))
ws["D2"] = re.sub(r"[^A-Z]", "", "A-b-C-d")
found = re.match(r"(?P<word>\w+) the (\w+)", ws["A1"].value)
ws["D3"] = found.group("word") + "/" + found.group(2)
ws["D4"] = " ".join(re.findall(r"\d+", "a1b22c333"))
