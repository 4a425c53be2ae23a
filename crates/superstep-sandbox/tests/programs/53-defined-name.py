from openpyxl.workbook.defined_name import DefinedName
workbook.defined_names["Units"] = DefinedName("Units", attr_text="Sales!$D$2:$D$11")
workbook["Notes"]["D1"] = "=SUM(Units)"
print("Units" in workbook.defined_names)
