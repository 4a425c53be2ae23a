import random
random.seed(7)
values = [random.randint(1, 6) for _ in range(20)]
ws = workbook["Notes"]
ws["D1"] = len(values)
ws["D2"] = all(1 <= v <= 6 for v in values)
ws["D3"] = random.choice(["only"])
