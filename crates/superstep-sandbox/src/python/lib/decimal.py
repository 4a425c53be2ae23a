ROUND_HALF_UP = "ROUND_HALF_UP"
ROUND_HALF_EVEN = "ROUND_HALF_EVEN"
ROUND_HALF_DOWN = "ROUND_HALF_DOWN"
ROUND_DOWN = "ROUND_DOWN"
ROUND_UP = "ROUND_UP"
ROUND_FLOOR = "ROUND_FLOOR"
ROUND_CEILING = "ROUND_CEILING"


class InvalidOperation(ArithmeticError):
    pass


class DivisionByZero(ZeroDivisionError):
    pass


class _Context:
    def __init__(self):
        self.prec = 28
        self.rounding = ROUND_HALF_EVEN


_context = _Context()


def getcontext():
    return _context


def _divide(top, bottom, rounding):
    """Divides integers, rounded."""
    negative = (top < 0) != (bottom < 0)
    top, bottom = abs(top), abs(bottom)
    quotient, rest = divmod(top, bottom)
    if rest:
        twice = rest * 2
        if rounding == ROUND_HALF_UP: up = twice >= bottom
        elif rounding == ROUND_HALF_DOWN: up = twice > bottom
        elif rounding == ROUND_HALF_EVEN: up = twice > bottom or (twice == bottom and quotient % 2 == 1)
        elif rounding == ROUND_UP: up = True
        elif rounding == ROUND_FLOOR: up = negative
        elif rounding == ROUND_CEILING: up = not negative
        else: up = False
        if up:
            quotient += 1
    return -quotient if negative else quotient


class Decimal:
    def __init__(self, value="0"):
        if isinstance(value, Decimal):
            self._int, self._exp = value._int, value._exp
        elif isinstance(value, int):
            self._int, self._exp = int(value), 0
        elif isinstance(value, float):
            top, bottom = value.as_integer_ratio()
            power = bottom.bit_length() - 1
            self._int, self._exp = top * 5 ** power, -power
        elif isinstance(value, str):
            text = value.strip().replace("_", "")
            number, _, exponent = text.lower().partition("e")
            whole, _, fraction = number.partition(".")
            try:
                sign = -1 if whole.startswith("-") else 1
                self._int = sign * int((whole.lstrip("+-") + fraction) or "x")
                self._exp = (int(exponent) if exponent else 0) - len(fraction)
            except ValueError:
                raise InvalidOperation(f"cannot read {value!r} as a decimal number") from None
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")

    def _rounded(self):
        digits = len(str(abs(self._int)))
        if digits > _context.prec:
            cut = digits - _context.prec
            return _make(_divide(self._int, 10 ** cut, _context.rounding), self._exp + cut)
        return self

    def _pair(self, other):
        exp = min(self._exp, other._exp)
        return (self._int * 10 ** (self._exp - exp), other._int * 10 ** (other._exp - exp), exp)

    def __add__(self, other):
        other = _convert(other)
        if other is None:
            return NotImplemented
        a, b, exp = self._pair(other)
        return _make(a + b, exp)._rounded()

    __radd__ = __add__

    def __sub__(self, other):
        other = _convert(other)
        if other is None:
            return NotImplemented
        a, b, exp = self._pair(other)
        return _make(a - b, exp)._rounded()

    def __rsub__(self, other):
        other = _convert(other)
        return NotImplemented if other is None else other - self

    def __mul__(self, other):
        other = _convert(other)
        if other is None:
            return NotImplemented
        return _make(self._int * other._int, self._exp + other._exp)._rounded()

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = _convert(other)
        if other is None:
            return NotImplemented
        if other._int == 0:
            raise DivisionByZero("division by zero")
        exact = self._exp - other._exp
        if self._int % other._int == 0:
            return _make(self._int // other._int, exact)._rounded()
        shift = _context.prec + len(str(abs(other._int))) - len(str(abs(self._int))) + 1
        shift = max(shift, 0)
        quotient = _make(_divide(self._int * 10 ** shift, other._int, ROUND_DOWN), exact - shift)
        top = self._int * 10 ** shift
        if top % other._int:
            # A last digit that keeps half from looking exact.
            sign = -1 if (top < 0) != (other._int < 0) else 1
            quotient = _make(quotient._int * 10 + sign, quotient._exp - 1)
        result = quotient._rounded()
        while result._exp < exact and result._int % 10 == 0 and result._int:
            result = _make(result._int // 10, result._exp + 1)
        return result

    def __rtruediv__(self, other):
        other = _convert(other)
        return NotImplemented if other is None else other / self

    def __floordiv__(self, other):
        other = _convert(other)
        a, b, _ = self._pair(other)
        if b == 0:
            raise DivisionByZero("division by zero")
        return _make(_divide(a, b, ROUND_DOWN), 0)

    def __mod__(self, other):
        other = _convert(other)
        return self - other * (self // other)

    def __pow__(self, power):
        if not isinstance(power, int):
            return Decimal(float(self) ** float(power))
        result = Decimal(1)
        for _ in range(abs(power)):
            result = result * self
        return result if power >= 0 else Decimal(1) / result

    def __neg__(self): return _make(-self._int, self._exp)
    def __pos__(self): return self
    def __abs__(self): return _make(abs(self._int), self._exp)
    def __bool__(self): return self._int != 0

    def _compare(self, other):
        if isinstance(other, float):
            other = Decimal(other)
        other = _convert(other)
        if other is None:
            return None
        a, b, _ = self._pair(other)
        return (a > b) - (a < b)

    def __eq__(self, other): return self._compare(other) == 0
    def __lt__(self, other): return self._compare(other) < 0
    def __le__(self, other): return self._compare(other) <= 0
    def __gt__(self, other): return self._compare(other) > 0
    def __ge__(self, other): return self._compare(other) >= 0

    def __hash__(self):
        value, exp = self._int, self._exp
        while exp < 0 and value % 10 == 0:
            value, exp = value // 10, exp + 1
        return value * 10 ** exp if exp >= 0 else hash((value, exp))

    def quantize(self, exp, rounding=None):
        rounding = rounding or _context.rounding
        exp = _convert(exp)._exp
        if exp <= self._exp:
            return _make(self._int * 10 ** (self._exp - exp), exp)
        return _make(_divide(self._int, 10 ** (exp - self._exp), rounding), exp)

    def __round__(self, digits=None):
        if digits is None:
            return int(self.quantize(Decimal(1), ROUND_HALF_EVEN))
        return self.quantize(_make(1, -digits), ROUND_HALF_EVEN)

    def to_integral_value(self, rounding=None):
        return self.quantize(Decimal(1), rounding)

    def normalize(self):
        value, exp = self._int, self._exp
        while value and value % 10 == 0:
            value, exp = value // 10, exp + 1
        return _make(value, exp if value else 0)

    def sqrt(self):
        shift = _context.prec * 2
        value = self._int * 10 ** shift
        exp = self._exp - shift
        if exp % 2:
            value, exp = value * 10, exp - 1
        import math
        return _make(math.isqrt(value), exp // 2)._rounded()

    def is_zero(self): return self._int == 0
    def is_nan(self): return False
    def is_finite(self): return True
    def copy_abs(self): return abs(self)

    def as_tuple(self):
        return (int(self._int < 0), tuple([int(c) for c in str(abs(self._int))]), self._exp)

    def __int__(self):
        return self._int * 10 ** self._exp if self._exp >= 0 else _divide(self._int, 10 ** -self._exp, ROUND_DOWN)

    __trunc__ = __int__

    def __floor__(self):
        return int(self.quantize(Decimal(1), ROUND_FLOOR))

    def __ceil__(self):
        return int(self.quantize(Decimal(1), ROUND_CEILING))

    def __float__(self):
        return float(f"{self._int}e{self._exp}")

    def __str__(self):
        sign = "-" if self._int < 0 else ""
        digits = str(abs(self._int))
        if self._exp > 0:
            return f"{sign}{digits[0]}{'.' + digits[1:] if len(digits) > 1 else ''}E+{self._exp + len(digits) - 1}"
        if self._exp == 0:
            return sign + digits
        places = -self._exp
        digits = digits.rjust(places + 1, "0")
        return f"{sign}{digits[:-places]}.{digits[-places:]}"

    def __repr__(self):
        return f"Decimal('{self}')"

    def __format__(self, spec):
        if not spec:
            return str(self)
        if spec.endswith("f") and "." in spec:
            digits = int(spec.rsplit(".", 1)[1][:-1])
            value = self.quantize(_make(1, -digits), _context.rounding)
            head = spec.rsplit(".", 1)[0]
            if head in ("", ","):
                text = str(abs(value))
                whole, _, fraction = text.partition(".")
                if head == ",":
                    whole = f"{int(whole):,}"
                return ("-" if value._int < 0 else "") + whole + ("." + fraction if fraction else "")
        return format(float(self), spec)


def _make(value, exp):
    made = object.__new__(Decimal)
    made._int = value
    made._exp = exp
    return made


def _convert(value):
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return _make(int(value), 0)
    return None
