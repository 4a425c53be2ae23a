from math import gcd


def _read(text):
    text = text.strip()
    top, slash, below = text.partition("/")
    if slash:
        if top != top.rstrip() or below != below.lstrip():
            raise ValueError(f"Invalid literal for Fraction: {text!r}")
        return int(top), int(below)
    main, _, power = text.replace("E", "e").partition("e")
    whole, point, part = main.partition(".")
    sign = -1 if whole.startswith("-") else 1
    value = int((whole.lstrip("+-") or "0") + part)
    power = int(power or 0) - len(part)
    return sign * value * 10 ** max(power, 0), 10 ** max(-power, 0)


class Fraction:
    def __init__(self, numerator=0, denominator=None):
        if denominator is None:
            if isinstance(numerator, str):
                try:
                    numerator, denominator = _read(numerator)
                except ValueError:
                    raise ValueError(f"Invalid literal for Fraction: {numerator!r}") from None
            elif isinstance(numerator, int):
                denominator = 1
            elif isinstance(numerator, Fraction):
                numerator, denominator = numerator.numerator, numerator.denominator
            elif hasattr(numerator, "as_integer_ratio"):
                numerator, denominator = numerator.as_integer_ratio()
            else:
                raise TypeError("argument should be a string or a Rational instance")
        elif isinstance(numerator, (int, Fraction)) and isinstance(denominator, (int, Fraction)):
            one, other = Fraction(numerator), Fraction(denominator)
            numerator, denominator = one.numerator * other.denominator, one.denominator * other.numerator
        else:
            raise TypeError("both arguments should be Rational instances")
        if denominator == 0:
            raise ZeroDivisionError(f"Fraction({numerator}, 0)")
        shared = gcd(numerator, denominator) * (-1 if denominator < 0 else 1)
        self.numerator = int(numerator) // shared
        self.denominator = int(denominator) // shared

    @classmethod
    def from_float(cls, f): return cls(f)

    @classmethod
    def from_decimal(cls, dec): return cls(dec)

    def as_integer_ratio(self): return (self.numerator, self.denominator)

    def limit_denominator(self, max_denominator=1000000):
        if self.denominator <= max_denominator:
            return self
        # Each step of the continued fraction is nearer; between the last two is the nearest of all.
        low_top, low, top, below = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            whole = n // d
            next_below = low + whole * below
            if next_below > max_denominator:
                break
            low_top, low, top, below = top, below, low_top + whole * top, next_below
            n, d = d, n - whole * d
        times = (max_denominator - low) // below
        one, other = Fraction(low_top + times * top, low + times * below), Fraction(top, below)
        return other if abs(other - self) <= abs(one - self) else one

    def _with(self, other, exact, rough):
        if isinstance(other, (int, Fraction)):
            return exact(self, other if isinstance(other, Fraction) else Fraction(other))
        return rough(float(self), other) if isinstance(other, float) else NotImplemented

    def __add__(self, other):
        return self._with(other, lambda a, b: Fraction(a.numerator * b.denominator + b.numerator * a.denominator,
                                                       a.denominator * b.denominator), lambda a, b: a + b)

    def __sub__(self, other):
        return self._with(other, lambda a, b: Fraction(a.numerator * b.denominator - b.numerator * a.denominator,
                                                       a.denominator * b.denominator), lambda a, b: a - b)

    def __rsub__(self, other): return self._with(other, lambda a, b: b - a, lambda a, b: b - a)

    def __mul__(self, other):
        return self._with(other, lambda a, b: Fraction(a.numerator * b.numerator, a.denominator * b.denominator), lambda a, b: a * b)

    def __truediv__(self, other):
        return self._with(other, lambda a, b: Fraction(a.numerator * b.denominator, a.denominator * b.numerator), lambda a, b: a / b)

    def __rtruediv__(self, other): return self._with(other, lambda a, b: b / a, lambda a, b: b / a)

    def __floordiv__(self, other):
        return self._with(other, lambda a, b: a.numerator * b.denominator // (a.denominator * b.numerator), lambda a, b: a // b)

    def __rfloordiv__(self, other): return self._with(other, lambda a, b: b // a, lambda a, b: b // a)
    def __mod__(self, other): return self._with(other, lambda a, b: a - b * (a // b), lambda a, b: a % b)
    def __rmod__(self, other): return self._with(other, lambda a, b: b % a, lambda a, b: b % a)
    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, power):
        if isinstance(power, int):
            if power >= 0:
                return Fraction(self.numerator ** power, self.denominator ** power)
            return Fraction(self.denominator ** -power, self.numerator ** -power)
        return float(self) ** float(power)

    def __rpow__(self, base): return base ** (self.numerator if self.denominator == 1 else float(self))
    def __neg__(self): return Fraction(-self.numerator, self.denominator)
    def __pos__(self): return self
    def __abs__(self): return Fraction(abs(self.numerator), self.denominator)
    def __bool__(self): return self.numerator != 0
    def __float__(self): return self.numerator / self.denominator
    def __int__(self): return self.numerator // self.denominator if self.numerator >= 0 else -(-self.numerator // self.denominator)
    __trunc__ = __int__
    def __floor__(self): return self.numerator // self.denominator
    def __ceil__(self): return -(-self.numerator // self.denominator)

    def __round__(self, ndigits=None):
        shift = 10 ** abs(ndigits or 0)
        value = self * shift if (ndigits or 0) >= 0 else self / shift
        whole, rest = divmod(value.numerator, value.denominator)
        whole += 2 * rest > value.denominator or 2 * rest == value.denominator and whole % 2 == 1
        if ndigits is None:
            return whole
        return Fraction(whole, shift) if ndigits >= 0 else Fraction(whole * shift)

    def _order(self, other, compare):
        if isinstance(other, (int, Fraction)):
            other = Fraction(other)
            return compare(self.numerator * other.denominator, other.numerator * self.denominator)
        return compare(float(self), other) if isinstance(other, float) else NotImplemented

    def __eq__(self, other): return self._order(other, lambda a, b: a == b)
    def __lt__(self, other): return self._order(other, lambda a, b: a < b)
    def __le__(self, other): return self._order(other, lambda a, b: a <= b)
    def __gt__(self, other): return self._order(other, lambda a, b: a > b)
    def __ge__(self, other): return self._order(other, lambda a, b: a >= b)

    def __hash__(self):
        # A float is found by its value, as the number that it equals.
        near = float(self)
        return near if Fraction(near) == self else ("fraction", self.numerator, self.denominator)

    def __str__(self): return str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"
    def __repr__(self): return f"Fraction({self.numerator}, {self.denominator})"
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self
