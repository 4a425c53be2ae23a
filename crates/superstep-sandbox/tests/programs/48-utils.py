from openpyxl.utils import get_column_letter, column_index_from_string, range_boundaries
from openpyxl.utils.cell import coordinate_from_string, coordinate_to_tuple
ws = workbook["Notes"]
ws["D1"] = get_column_letter(28)
ws["D2"] = column_index_from_string("AB")
ws["D3"] = str(range_boundaries("B2:D5"))
ws["D4"] = str(coordinate_from_string("C7"))
ws["D5"] = str(coordinate_to_tuple("C7"))
