def counter():
    n = 0
    def step(by=1):
        nonlocal n
        n += by
        return n
    return step
c = counter()
c(); c(5)
total = 0
def add(x, *rest, scale=1, **more):
    global total
    total += (x + sum(rest)) * scale + len(more)
add(1, 2, 3, scale=2, a=1, b=2)
ws = workbook["Notes"]
ws["D1"] = c()
ws["D2"] = total
ws["D3"] = [f(3) for f in [lambda x, k=k: x * k for k in range(3)]][2]
