from openpyxl.formatting.rule import ColorScaleRule, DataBarRule, FormatObject, IconSet, IconSetRule, Rule
ws = workbook["Sales"]
ws.conditional_formatting.add("D2:D11", IconSetRule("3TrafficLights1", "percent", [0, 33, 67]))
arrows = IconSet(iconSet="3Arrows", cfvo=[FormatObject(type="num", val=v) for v in (0, 5, 10)], showValue=False, reverse=True)
ws.conditional_formatting.add("E2:E11", Rule(type="iconSet", iconSet=arrows))
ws.conditional_formatting.add("D2:D11", DataBarRule(start_type="num", start_value=0, end_type="max", color="638EC6"))
ws.conditional_formatting.add("E2:E11", ColorScaleRule(
    start_type="num", start_value=1, start_color="F8696B", mid_type="percentile", mid_value=40, mid_color="FFEB84",
    end_type="max", end_color="63BE7B"))
