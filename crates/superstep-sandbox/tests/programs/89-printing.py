from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties
ws = workbook["Sales"]
ws.page_setup.orientation = ws.ORIENTATION_LANDSCAPE
ws.page_setup.paperSize = ws.PAPERSIZE_A4
ws.page_setup.fitToWidth = 1
ws.page_setup.fitToHeight = 0
ws.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
ws.print_area = "A1:F11"
ws.print_title_rows = "1:1"
ws.print_title_cols = "A:B"
ws.print_options.horizontalCentered = True
ws.print_options.gridLines = True
ws.page_margins = PageMargins(left=0.5, right=0.5, top=0.6, bottom=0.6)
ws.oddHeader.center.text = "Sales"
ws.oddHeader.center.size = 14
ws.oddFooter.right.text = "Page &[Page] of &[Pages]"
