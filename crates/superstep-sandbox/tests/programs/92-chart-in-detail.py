from openpyxl.chart import BarChart, LineChart, PieChart, Reference
from openpyxl.chart.label import DataLabelList
ws = workbook["Sales"]
bar = BarChart()
bar.type = "bar"
bar.grouping = "percentStacked"
bar.overlap = 100
bar.style = 10
bar.gapWidth = 50
bar.title = "Units"
bar.y_axis.title = "Share"
bar.y_axis.number_format = "0%"
bar.y_axis.scaling.min = 0
bar.x_axis.delete = True
bar.legend.position = "b"
bar.add_data(Reference(ws, min_col=4, min_row=1, max_col=5, max_row=11), titles_from_data=True)
bar.set_categories(Reference(ws, min_col=2, min_row=2, max_row=11))
bar.series[0].graphicalProperties.solidFill = "4472C4"
ws.add_chart(bar, "H2")
bar.width = 20
line = LineChart()
line.add_data(Reference(ws, min_col=4, min_row=2, max_row=11))
line.series[0].graphicalProperties.line.solidFill = "FF0000"
line.series[0].graphicalProperties.line.width = 28575
line.series[0].marker.symbol = "circle"
line.series[0].smooth = True
line.y_axis.majorGridlines = None
line.legend = None
ws.add_chart(line, "H20")
pie = PieChart()
pie.add_data(Reference(ws, min_col=4, min_row=2, max_row=5))
pie.dataLabels = DataLabelList()
pie.dataLabels.showPercent = True
ws.add_chart(pie, "H38")
