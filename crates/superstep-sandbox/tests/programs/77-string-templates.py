import string
from string import Template
ws = workbook["Notes"]
ws["D1"] = Template("$who owes $$5").substitute(who="Ann") if False else Template("$who pays").substitute(who="Ann")
ws["D2"] = string.ascii_uppercase[:3]
ws["D3"] = "abc".translate(str.maketrans("ab", "xy"))
