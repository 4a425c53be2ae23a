workbook.save("CANARY")
