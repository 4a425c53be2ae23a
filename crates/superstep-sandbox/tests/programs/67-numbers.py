ws = workbook["Notes"]
values = [7 // 2, -7 // 2, 7 % -3, divmod(-7, 2), 2 ** 100, round(2.5), round(2.675, 2), round(1234, -2), int(-3.9), 0.1 + 0.2, 1e16, 1e-5,
          10 ** 20 // 3, abs(-3), pow(3, 4, 5), float("inf") > 1, 5 / 2, 1_000, 0xff, True + 1]
for row, value in enumerate(values, 1):
    ws.cell(row, 6, str(value))
