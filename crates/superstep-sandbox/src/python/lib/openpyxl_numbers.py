FORMAT_GENERAL = "General"
FORMAT_TEXT = "@"
FORMAT_NUMBER = "0"
FORMAT_NUMBER_00 = "0.00"
FORMAT_NUMBER_COMMA_SEPARATED1 = "#,##0.00"
FORMAT_NUMBER_COMMA_SEPARATED2 = "#,##0.00_-"
FORMAT_PERCENTAGE = "0%"
FORMAT_PERCENTAGE_00 = "0.00%"
FORMAT_DATE_YYYYMMDD2 = "yyyy-mm-dd"
FORMAT_DATE_YYMMDD = "yy-mm-dd"
FORMAT_DATE_DDMMYY = "dd/mm/yy"
FORMAT_DATE_DMYSLASH = "d/m/y"
FORMAT_DATE_XLSX14 = "mm-dd-yy"
FORMAT_DATE_XLSX15 = "d-mmm-yy"
FORMAT_DATE_DATETIME = "yyyy-mm-dd h:mm:ss"
FORMAT_CURRENCY_USD_SIMPLE = '"$"#,##0.00_-'
FORMAT_CURRENCY_USD = "$#,##0_-"
FORMAT_CURRENCY_EUR_SIMPLE = "[$EUR ]#,##0.00_-"


def is_date_format(code):
    if not code:
        return False
    plain = ""
    quoted = False
    for c in code.split(";")[0]:
        if c == '"':
            quoted = not quoted
        elif not quoted:
            plain += c
    return any(c in plain.lower() for c in "dmhysy") and "general" not in plain.lower()
