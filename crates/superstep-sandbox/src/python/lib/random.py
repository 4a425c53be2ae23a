import _random


def seed(value=None):
    _random.seed(0 if value is None else value)


def random():
    return _random.random()


def uniform(a, b):
    return a + (b - a) * _random.random()


def randrange(start, stop=None, step=1):
    if stop is None:
        start, stop = 0, start
    count = len(range(start, stop, step))
    if count == 0:
        raise ValueError("empty range for randrange()")
    return start + step * int(_random.random() * count)


def randint(a, b):
    return randrange(a, b + 1)


def choice(items):
    if len(items) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return items[int(_random.random() * len(items))]


def choices(items, weights=None, k=1):
    if weights is None:
        return [choice(items) for _ in range(k)]
    total = sum(weights)
    chosen = []
    for _ in range(k):
        at = _random.random() * total
        for item, weight in zip(items, weights):
            at -= weight
            if at < 0:
                break
        chosen.append(item)
    return chosen


def shuffle(items):
    for at in range(len(items) - 1, 0, -1):
        other = int(_random.random() * (at + 1))
        items[at], items[other] = items[other], items[at]


def sample(items, k):
    pool = list(items)
    if k > len(pool):
        raise ValueError("Sample larger than population or is negative")
    shuffle(pool)
    return pool[:k]


def gauss(mu=0.0, sigma=1.0):
    total = 0.0
    for _ in range(12):
        total += _random.random()
    return mu + (total - 6.0) * sigma


normalvariate = gauss


def triangular(low=0.0, high=1.0, mode=None):
    return low + (high - low) * (_random.random() + _random.random()) / 2


class Random:
    def __init__(self, value=None):
        seed(value)

    def __getattr__(self, name):
        return globals_of_random[name]


globals_of_random = {"random": random, "uniform": uniform, "randrange": randrange, "randint": randint,
                     "choice": choice, "choices": choices, "shuffle": shuffle, "sample": sample,
                     "gauss": gauss, "normalvariate": gauss, "seed": seed}
