from openpyxl.chart import BarChart, Reference
ws = workbook["Sales"]
chart = BarChart()
chart.title = "Units"
chart.x_axis.title = "Product"
chart.y_axis.title = "Units"
data = Reference(ws, min_col=4, min_row=1, max_row=11)
labels = Reference(ws, min_col=3, min_row=2, max_row=11)
chart.add_data(data, titles_from_data=True)
chart.set_categories(labels)
ws.add_chart(chart, "H2")
