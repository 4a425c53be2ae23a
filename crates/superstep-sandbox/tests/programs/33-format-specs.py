ws = workbook["Notes"]
values = [f"{1234567.891:,.2f}", f"{0.256:.1%}", f"{42:08d}", f"{255:#x}", f"{'ab':>6}|{'cd':^6}|{'ef':<4}|", f"{3.14159:.3g}",
          "%05.1f|%s|%d%%" % (2.345, "x", 7), "{0}-{name!r}-{1:>4}".format(1, 2, name="n"), f"{-5:+d} {5:+d}", f"{1e10:e}"]
for row, value in enumerate(values, 1):
    ws.cell(row, 6, value)
