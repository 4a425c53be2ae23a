"""Formulas that openpyxl has classes for."""
from openpyxl._refuse import absent

ArrayFormula = absent("ArrayFormula", "write a formula that gives one value, such as SUMPRODUCT or SUMIFS, into each cell, or calculate the "
                      "values in the program")
DataTableFormula = absent("DataTableFormula", "write a formula into each cell")
