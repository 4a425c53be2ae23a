from functools import reduce, lru_cache, partial
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
ws = workbook["Notes"]
ws["D1"] = fib(40)
ws["D2"] = reduce(lambda a, b: a * b, range(1, 6))
ws["D3"] = partial(int, base=2)("1010")
