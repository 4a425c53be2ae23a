from openpyxl.chart import LineChart, PieChart, ScatterChart, Reference, Series
ws = workbook["Sales"]
line = LineChart()
line.add_data(Reference(ws, min_col=4, max_col=5, min_row=1, max_row=11), titles_from_data=True)
line.width, line.height = 20, 10
ws.add_chart(line, "H2")
pie = PieChart()
pie.add_data(Reference(ws, min_col=4, min_row=1, max_row=5), titles_from_data=True)
pie.set_categories(Reference(ws, min_col=3, min_row=2, max_row=5))
ws.add_chart(pie, "H22")
scatter = ScatterChart()
scatter.series.append(Series(Reference(ws, min_col=4, min_row=2, max_row=11), Reference(ws, min_col=5, min_row=2, max_row=11), title="points"))
ws.add_chart(scatter, "Q2")
