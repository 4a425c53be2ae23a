from openpyxl.workbook.defined_name import DefinedName
ws = workbook["Sales"]
ws.defined_names["Units"] = DefinedName("Units", attr_text="Sales!$D$2:$D$11")
workbook.defined_names["Rate"] = DefinedName("Rate", attr_text="0.19")
workbook.defined_names["Rate"] = DefinedName("Rate", attr_text="0.07")
ws["H1"] = "=SUM(Units)*Rate"
print(sorted(workbook.defined_names), sorted(ws.defined_names), workbook.defined_names["Rate"].attr_text)
