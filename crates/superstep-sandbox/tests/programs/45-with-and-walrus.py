class Guard:
    def __enter__(self):
        return "in"
    def __exit__(self, kind, problem, trace):
        return kind is ValueError
ws = workbook["Notes"]
with Guard() as word:
    ws["D1"] = word
    raise ValueError("kept in")
if (n := len("four")) > 3:
    ws["D2"] = n
ws["D3"] = [y for x in range(5) if (y := x * 2) > 4][0]
