def f(x):
    try:
        value = 10 / x
    except ZeroDivisionError:
        return "zero"
    else:
        return value
    finally:
        log.append(x)
log = []
ws = workbook["Notes"]
ws["D1"] = f(2)
ws["D2"] = f(0)
ws["D3"] = str(log)
for i in range(3):
    try:
        if i == 1:
            continue
        if i == 2:
            break
    finally:
        log.append(("f", i))
ws["D4"] = str(log)
