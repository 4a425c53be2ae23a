"""Numbers that look random. The same seed gives the same numbers as in CPython."""
import _random
from math import acos, ceil, cos, e, exp, floor, log, pi, sin, sqrt
from bisect import bisect


class Random:
    def __init__(self, x=None):
        self._generator = _random.new()
        self.seed(x)

    def seed(self, a=None, version=2):
        if a is None:
            a = int(_clock.now() * 1000000)
        if isinstance(a, (str, bytes)):
            raise NotImplementedError("a seed is an integer in this sandbox")
        if isinstance(a, float):
            a = hash(a)
        _random.seed(self._generator, abs(a))
        self._next = None

    def random(self):
        return _random.random(self._generator)

    def getrandbits(self, k):
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        return _random.bits(self._generator, k)

    def _below(self, n):
        if not n:
            return 0
        k = n.bit_length()
        found = self.getrandbits(k)
        while found >= n:
            found = self.getrandbits(k)
        return found

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            if start <= 0:
                raise ValueError("empty range for randrange()")
            return self._below(start)
        count = len(range(start, stop, step))
        if count <= 0:
            raise ValueError(f"empty range for randrange() ({start}, {stop}, {stop - start})")
        return start + step * self._below(count)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._below(len(seq))]

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        count = len(population)
        if cum_weights is None:
            if weights is None:
                return [population[floor(self.random() * (count + 0.0))] for _ in range(k)]
            total, cum_weights = 0, []
            for weight in weights:
                total += weight
                cum_weights.append(total)
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != count:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        return [population[bisect(cum_weights, self.random() * total, 0, count - 1)] for _ in range(k)]

    def shuffle(self, x):
        for at in reversed(range(1, len(x))):
            other = self._below(at + 1)
            x[at], x[other] = x[other], x[at]

    def sample(self, population, k, *, counts=None):
        if isinstance(population, (set, frozenset, dict)):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        if counts is not None:
            population = [item for item, count in zip(population, counts) for _ in range(count)]
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        # A pool is shorter than a set of what was taken, up to this size.
        most = 21
        if k > 5:
            most += 4 ** ceil(log(k * 3, 4))
        chosen = []
        if n <= most:
            pool = list(population)
            for at in range(k):
                place = self._below(n - at)
                chosen.append(pool[place])
                pool[place] = pool[n - at - 1]
            return chosen
        taken = set()
        for _ in range(k):
            place = self._below(n)
            while place in taken:
                place = self._below(n)
            taken.add(place)
            chosen.append(population[place])
        return chosen

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        c = 0.5 if mode is None else (mode - low) / (high - low) if high != low else 0.5
        if high == low:
            return low
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * sqrt(u * c)

    def gauss(self, mu=0.0, sigma=1.0):
        z, self._next = self._next, None
        if z is None:
            angle = self.random() * 2.0 * pi
            radius = sqrt(-2.0 * log(1.0 - self.random()))
            z = cos(angle) * radius
            self._next = sin(angle) * radius
        return mu + z * sigma

    def normalvariate(self, mu=0.0, sigma=1.0):
        factor = 4 * exp(-0.5) / sqrt(2.0)
        while True:
            u = self.random()
            v = 1.0 - self.random()
            z = factor * (u - 0.5) / v
            if z * z / 4.0 <= -log(v):
                return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0):
        return exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        return -log(1.0 - self.random()) / lambd

    def paretovariate(self, alpha):
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        return alpha * (-log(1.0 - self.random())) ** (1.0 / beta)


import _clock

_shared = Random()
seed, random, getrandbits, randrange, randint = _shared.seed, _shared.random, _shared.getrandbits, _shared.randrange, _shared.randint
choice, choices, shuffle, sample, uniform = _shared.choice, _shared.choices, _shared.shuffle, _shared.sample, _shared.uniform
triangular, gauss, normalvariate, expovariate = _shared.triangular, _shared.gauss, _shared.normalvariate, _shared.expovariate
lognormvariate, paretovariate, weibullvariate = _shared.lognormvariate, _shared.paretovariate, _shared.weibullvariate
