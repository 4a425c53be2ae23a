"""Decimal numbers: a sign, digits and an exponent, and contexts that say how they are rounded."""
import math
from collections import namedtuple

ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN = "ROUND_HALF_UP", "ROUND_HALF_EVEN", "ROUND_HALF_DOWN"
ROUND_DOWN, ROUND_UP, ROUND_FLOOR, ROUND_CEILING, ROUND_05UP = "ROUND_DOWN", "ROUND_UP", "ROUND_FLOOR", "ROUND_CEILING", "ROUND_05UP"
DecimalTuple = namedtuple("DecimalTuple", "sign digits exponent")


class DecimalException(ArithmeticError):
    pass


class InvalidOperation(DecimalException):
    pass


class ConversionSyntax(InvalidOperation):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    pass


class Inexact(DecimalException):
    pass


class Rounded(DecimalException):
    pass


class Overflow(Inexact, Rounded):
    pass


class FloatOperation(DecimalException, TypeError):
    pass


class Context:
    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN, Emin=None, Emax=None, capitals=None, clamp=None, flags=None, traps=None):
        if traps is not None or flags is not None:
            raise NotImplementedError("traps and flags of decimal contexts are not supported in this sandbox")
        self.prec = prec
        self.rounding = rounding

    def copy(self):
        return Context(self.prec, self.rounding)

    def create_decimal(self, num="0"): return Decimal(num)._rounded(self)
    def quantize(self, a, b): return a.quantize(b, self.rounding)
    def divide(self, a, b): return (Decimal(a) / Decimal(b))._rounded(self)
    def __repr__(self): return f"Context(prec={self.prec}, rounding={self.rounding})"


class _Current:
    context = Context()


DefaultContext = BasicContext = ExtendedContext = Context()


def getcontext():
    return _Current.context


def setcontext(context):
    _Current.context = context


class localcontext:
    def __init__(self, ctx=None, **kwargs):
        self._new = (ctx or getcontext()).copy()
        for name, value in kwargs.items():
            setattr(self._new, name, value)

    def __enter__(self):
        self._old = getcontext()
        setcontext(self._new)
        return self._new

    def __exit__(self, *exception):
        setcontext(self._old)


def _rounds_up(quotient, rest, below, is_negative, rounding):
    """Whether a quotient of sizes goes up by one, for the rest that it leaves."""
    if not rest:
        return False
    if rounding == ROUND_HALF_EVEN: return 2 * rest > below or 2 * rest == below and quotient % 2 == 1
    if rounding == ROUND_HALF_UP: return 2 * rest >= below
    if rounding == ROUND_HALF_DOWN: return 2 * rest > below
    if rounding == ROUND_UP: return True
    if rounding == ROUND_DOWN: return False
    if rounding == ROUND_FLOOR: return is_negative
    if rounding == ROUND_CEILING: return not is_negative
    if rounding == ROUND_05UP: return quotient % 5 == 0
    raise TypeError("valid values for rounding are the ROUND_ constants of decimal")


def _divided(top, below, is_negative, rounding):
    quotient, rest = divmod(top, below)
    return quotient + _rounds_up(quotient, rest, below, is_negative, rounding)


def _read(text):
    """Sign, digits and exponent of a text; the exponent of what is no finite number is a letter."""
    text = text.strip().replace("_", "")
    sign = int(text.startswith("-"))
    body = text[1:] if text[:1] in ("-", "+") else text
    word = body.lower()
    if word in ("inf", "infinity"):
        return sign, 0, "F"
    if word in ("nan", "snan"):
        return sign, 0, "n"
    number, mark, power = word.partition("e")
    whole, _, part = number.partition(".")
    digits = whole + part
    exponent = power[1:] if power[:1] in ("-", "+") else power
    if not digits or not digits.isdecimal() or mark and not exponent.isdecimal():
        raise InvalidOperation([ConversionSyntax])
    return sign, int(digits), (int(power) if mark else 0) - len(part)


class Decimal:
    def __init__(self, value="0", context=None):
        if isinstance(value, Decimal):
            self._sign, self._int, self._exp = value._sign, value._int, value._exp
        elif isinstance(value, int):
            self._sign, self._int, self._exp = int(value < 0), abs(int(value)), 0
        elif isinstance(value, float):
            if math.isfinite(value):
                top, below = value.as_integer_ratio()
                power = below.bit_length() - 1
                self._int, self._exp = abs(top) * 5 ** power, -power
            else:
                self._int, self._exp = 0, "n" if value != value else "F"
            self._sign = int(math.copysign(1, value) < 0)
        elif isinstance(value, str):
            self._sign, self._int, self._exp = _read(value)
        elif isinstance(value, (tuple, list)):
            self._sign, digits, self._exp = value
            self._int = int("".join(map(str, digits)) or "0")
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")

    @classmethod
    def from_float(cls, f): return cls(f)

    def is_nan(self): return self._exp == "n"
    def is_infinite(self): return self._exp == "F"
    def is_finite(self): return not isinstance(self._exp, str)
    def is_zero(self): return self.is_finite() and not self._int
    def is_signed(self): return self._sign == 1
    def _size(self): return -self._int if self._sign else self._int

    def _rounded(self, context=None):
        context = context or _Current.context
        if not self.is_finite():
            return self
        cut = len(str(self._int)) - context.prec
        if cut <= 0:
            return self
        value = _divided(self._int, 10 ** cut, self._sign, context.rounding)
        if len(str(value)) > context.prec:
            value, cut = value // 10, cut + 1
        return _made(self._sign, value, self._exp + cut)

    def _special(self, other, op):
        """The result of an operation with a number that is not finite; nothing if both are."""
        if self.is_finite() and other.is_finite():
            return None
        if self.is_nan() or other.is_nan():
            return _made(0, 0, "n")
        one, two = float(self), float(other)
        if op == "/" and other.is_zero():
            return _made(self._sign ^ other._sign, 0, "F")
        found = {"+": lambda: one + two, "*": lambda: (1 if one > 0 else -1 if one < 0 else 0) * two if one in (math.inf, -math.inf) else one * two,
                 "/": lambda: one / two}[op]()
        if found != found:
            raise InvalidOperation([InvalidOperation])
        return Decimal(found)

    def __add__(self, other):
        other = _other(other)
        if other is None:
            return NotImplemented
        special = self._special(other, "+")
        if special is not None:
            return special
        exp = min(self._exp, other._exp)
        total = self._size() * 10 ** (self._exp - exp) + other._size() * 10 ** (other._exp - exp)
        sign = int(total < 0)
        if total == 0:
            both = self._sign and other._sign
            sign = int(both or self._sign != other._sign and _Current.context.rounding == ROUND_FLOOR)
        return _made(sign, abs(total), exp)._rounded()

    __radd__ = __add__

    def __sub__(self, other):
        other = _other(other)
        return NotImplemented if other is None else self + other.copy_negate()

    def __rsub__(self, other):
        other = _other(other)
        return NotImplemented if other is None else other - self

    def __mul__(self, other):
        other = _other(other)
        if other is None:
            return NotImplemented
        special = self._special(other, "*")
        if special is not None:
            return special
        return _made(self._sign ^ other._sign, self._int * other._int, self._exp + other._exp)._rounded()

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = _other(other)
        if other is None:
            return NotImplemented
        special = self._special(other, "/")
        if special is not None:
            return special
        sign, ideal = self._sign ^ other._sign, self._exp - other._exp
        if not other._int:
            raise DivisionUndefined([DivisionUndefined]) if not self._int else DivisionByZero([DivisionByZero])
        if not self._int:
            return _made(sign, 0, ideal)
        shift = max(_Current.context.prec + len(str(other._int)) - len(str(self._int)) + 1, 0)
        quotient, rest = divmod(self._int * 10 ** shift, other._int)
        exp = ideal - shift
        if rest:
            # A digit more keeps what is just above a half from looking like one.
            return _made(sign, quotient * 10 + 1, exp - 1)._rounded()
        while exp < ideal and quotient % 10 == 0:
            quotient, exp = quotient // 10, exp + 1
        return _made(sign, quotient, exp)._rounded()

    def __rtruediv__(self, other):
        other = _other(other)
        return NotImplemented if other is None else other / self

    def _parts(self, other):
        """The whole quotient and the rest, which has the sign of the first number."""
        if not (self.is_finite() and other.is_finite()):
            raise NotImplementedError("quotients of infinite decimals are not supported in this sandbox")
        if not other._int:
            raise DivisionUndefined([DivisionUndefined]) if not self._int else DivisionByZero([DivisionByZero])
        exp = min(self._exp, other._exp)
        quotient, rest = divmod(self._int * 10 ** (self._exp - exp), other._int * 10 ** (other._exp - exp))
        if len(str(quotient)) > _Current.context.prec:
            raise InvalidOperation([InvalidOperation])
        return _made(self._sign ^ other._sign, quotient, 0), _made(self._sign, rest, exp)._rounded()

    def __floordiv__(self, other):
        other = _other(other)
        return NotImplemented if other is None else self._parts(other)[0]

    def __mod__(self, other):
        other = _other(other)
        if other is None:
            return NotImplemented
        if self.is_finite() and other.is_zero():
            raise InvalidOperation([InvalidOperation])
        return self._parts(other)[1]

    def __divmod__(self, other): return (self // other, self % other)

    def __rfloordiv__(self, other):
        other = _other(other)
        return NotImplemented if other is None else other // self

    def __rmod__(self, other):
        other = _other(other)
        return NotImplemented if other is None else other % self

    def __pow__(self, power, modulo=None):
        power = _other(power)
        if power is None or modulo is not None:
            return NotImplemented
        if power.is_zero() and self.is_finite():
            if not self._int:
                raise InvalidOperation([InvalidOperation])
            return Decimal(1)
        if not power.is_finite() or not self.is_finite() or power != power.to_integral_value():
            raise NotImplementedError("powers of decimals are whole numbers in this sandbox; use float() or sqrt()")
        times = int(power)
        value = _made(self._sign if times % 2 else 0, self._int ** abs(times), self._exp * abs(times))
        if times >= 0:
            return value._rounded()
        if not self._int:
            return _made(value._sign, 0, "F")
        shift = _Current.context.prec + len(str(value._int)) + 1
        quotient, rest = divmod(10 ** shift, value._int)
        result = _made(value._sign, quotient * 10 + bool(rest), -value._exp - shift - 1)._rounded()
        return result if rest else result.normalize()

    def __rpow__(self, base):
        base = _other(base)
        return NotImplemented if base is None else base ** self

    def __neg__(self): return (_made(0, 0, self._exp) if self.is_zero() else self.copy_negate())._rounded()
    def __pos__(self): return (_made(0, 0, self._exp) if self.is_zero() else self)._rounded()
    def __abs__(self): return self.copy_abs()._rounded()
    def __bool__(self): return not self.is_finite() or self._int != 0
    def copy_abs(self): return _made(0, self._int, self._exp)
    def copy_negate(self): return _made(1 - self._sign, self._int, self._exp)
    def copy_sign(self, other): return _made(Decimal(other)._sign, self._int, self._exp)
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self

    def _compared(self, other):
        """-1, 0 or 1; nothing for other things, and `nan` where there is no order."""
        if isinstance(other, float):
            other = Decimal(other)
        elif hasattr(other, "numerator") and not isinstance(other, int):
            one, two = self.as_integer_ratio()
            one, two = one * other.denominator, other.numerator * two
            return (one > two) - (one < two)
        else:
            other = _other(other)
        if other is None:
            return None
        if self.is_nan() or other.is_nan():
            return math.nan
        if not (self.is_finite() and other.is_finite()):
            one = (1 - 2 * self._sign) if self.is_infinite() else 0
            two = (1 - 2 * other._sign) if other.is_infinite() else 0
            return (one > two) - (one < two)
        exp = min(self._exp, other._exp)
        one, two = self._size() * 10 ** (self._exp - exp), other._size() * 10 ** (other._exp - exp)
        return (one > two) - (one < two)

    def __eq__(self, other):
        order = self._compared(other)
        return NotImplemented if order is None else order == 0

    def __lt__(self, other):
        order = self._compared(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other):
        order = self._compared(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other):
        order = self._compared(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other):
        order = self._compared(other)
        return NotImplemented if order is None else order >= 0

    def compare(self, other): return Decimal(self._compared(Decimal(other)))
    def max(self, other): return self if self >= other else Decimal(other)
    def min(self, other): return self if self <= other else Decimal(other)

    def __hash__(self):
        # A float is found by its value, as the number that it equals.
        near = float(self)
        if not self.is_finite() or near not in (math.inf, -math.inf) and Decimal(near) == self:
            return near
        short = self._stripped()
        return ("decimal", short._sign, short._int, short._exp)

    def quantize(self, exp, rounding=None, context=None):
        exp = _other(exp)
        if not (self.is_finite() and exp.is_finite()):
            if self.is_infinite() and exp.is_infinite():
                return self
            raise InvalidOperation([InvalidOperation])
        made = self._at(exp._exp, rounding)
        if len(str(made._int)) > (context or _Current.context).prec:
            raise InvalidOperation([InvalidOperation])
        return made

    def _at(self, exp, rounding=None):
        if exp <= self._exp:
            return _made(self._sign, self._int * 10 ** (self._exp - exp), exp)
        return _made(self._sign, _divided(self._int, 10 ** (exp - self._exp), self._sign, rounding or _Current.context.rounding), exp)

    def __round__(self, n=None):
        if n is None:
            return int(self._at(0, ROUND_HALF_EVEN))
        return self.quantize(_made(0, 1, -n), ROUND_HALF_EVEN)

    def to_integral_value(self, rounding=None, context=None):
        return self if not self.is_finite() or self._exp >= 0 else self._at(0, rounding)

    to_integral = to_integral_exact = to_integral_value

    def _stripped(self):
        value, exp = self._int, self._exp
        while value and value % 10 == 0:
            value, exp = value // 10, exp + 1
        return _made(self._sign, value, exp if value else 0)

    def normalize(self, context=None): return self._rounded()._stripped() if self.is_finite() else self

    def sqrt(self, context=None):
        if self._sign and self._int:
            raise InvalidOperation([InvalidOperation])
        if not self._int:
            return _made(self._sign, 0, self._exp // 2)
        ideal = self._exp // 2
        value, exp = (self._int * 10, self._exp - 1) if self._exp % 2 else (self._int, self._exp)
        shift = max(_Current.context.prec + 2 - len(str(value)) // 2, 0)
        value, exp = value * 100 ** shift, exp // 2 - shift
        root = math.isqrt(value)
        if root * root != value:
            return _made(0, root * 10 + 1, exp - 1)._rounded()
        while exp < ideal and root % 10 == 0:
            root, exp = root // 10, exp + 1
        return _made(0, root, exp)._rounded()

    def _refused(self, *args):
        raise NotImplementedError("logarithms and exponentials of decimals are not supported in this sandbox; use math with float()")

    ln = log10 = exp = _refused

    def adjusted(self): return self._exp + len(str(self._int)) - 1 if self.is_finite() else 0

    def as_tuple(self):
        digits = tuple([int(c) for c in str(self._int)]) if not self.is_nan() else ()
        return DecimalTuple(self._sign, digits, self._exp)

    def as_integer_ratio(self):
        if not self.is_finite():
            raise (ValueError if self.is_nan() else OverflowError)("cannot convert NaN or Infinity to integer ratio")
        if self._exp >= 0:
            return (self._size() * 10 ** self._exp, 1)
        below = 10 ** -self._exp
        shared = math.gcd(self._int, below)
        return (self._size() // shared, below // shared)

    def scaleb(self, other): return _made(self._sign, self._int, self._exp + int(other))
    def same_quantum(self, other): return self._exp == Decimal(other)._exp

    def __int__(self):
        if not self.is_finite():
            raise (ValueError if self.is_nan() else OverflowError)(f"cannot convert {'NaN' if self.is_nan() else 'Infinity'} to integer")
        size = self._int * 10 ** self._exp if self._exp >= 0 else self._int // 10 ** -self._exp
        return -size if self._sign else size

    __trunc__ = __int__
    def __floor__(self): return int(self._at(0, ROUND_FLOOR))
    def __ceil__(self): return int(self._at(0, ROUND_CEILING))

    def __float__(self):
        if self.is_nan():
            return math.nan
        if self.is_infinite():
            return -math.inf if self._sign else math.inf
        return float(f"{'-' if self._sign else ''}{self._int}e{self._exp}")

    def __str__(self):
        sign = "-" if self._sign else ""
        if not self.is_finite():
            return sign + ("NaN" if self.is_nan() else "Infinity")
        digits = str(self._int)
        point = self._exp + len(digits)
        if self._exp <= 0 and point > -6:
            return sign + _pointed(digits, point)
        rest = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{rest}E{point - 1:+d}"

    def to_eng_string(self): raise NotImplementedError("to_eng_string is not supported in this sandbox")
    def __repr__(self): return f"Decimal('{self}')"

    def __format__(self, spec):
        if not spec:
            return str(self)
        kind = spec[-1] if spec[-1] in "eEfFgGn%sd" else ""
        head, dot, digits = (spec[:-1] if kind else spec).partition(".")
        if kind in ("s", "d", "n") or dot and not digits.isdigit():
            raise ValueError("invalid format string")
        if not self.is_finite():
            return format(float(self), head)
        value = _made(self._sign, self._int, self._exp + 2 * (kind == "%"))
        places = int(digits) if dot else None
        if kind in ("f", "F", "%"):
            if places is not None:
                value = value._at(-places)
            elif value._exp > 0:
                value = value._at(0)
            text = _pointed(str(value._int), value._exp + len(str(value._int)))
        elif kind in ("e", "E") or places is not None:
            most = None if places is None else places + 1 if kind in ("e", "E") else max(places, 1)
            size = len(str(value._int))
            if most is not None and (size > most or kind in ("e", "E")):
                value = value._at(value._exp + size - most)
                if len(str(value._int)) > most:
                    value = value._at(value._exp + 1)
            text = str(value.copy_abs())
            if kind in ("e", "E"):
                number = str(value._int)
                text = number[0] + ("." + number[1:] if number[1:] else "") + f"{kind}{value._exp + len(number) - 1:+d}"
        else:
            text = str(value.copy_abs())
        if kind == "%":
            text += "%"
        return _padded(text, value._sign, head)


def _pointed(digits, point):
    """Digits with a decimal point after so many of them."""
    if point <= 0:
        return "0." + "0" * -point + digits
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return digits[:point] + "." + digits[point:]


def _padded(text, sign, head):
    """A number with its sign, separators and width, as a format says."""
    fill, align = " ", ">"
    if head[1:2] in ("<", ">", "^", "=") and head[1:2]:
        fill, align, head = head[0], head[1], head[2:]
    elif head[:1] in ("<", ">", "^", "=") and head[:1]:
        align, head = head[0], head[1:]
    plus = ""
    if head[:1] in ("+", "-", " ") and head[:1]:
        plus, head = head[0], head[1:]
    zero = head.startswith("0")
    comma = "," if head.endswith(",") else "_" if head.endswith("_") else ""
    width = head.rstrip(",_")
    if width and not width.isdigit():
        raise ValueError("invalid format string")
    end = min([at for at in [text.find(mark) for mark in ".eE%"] if at >= 0] or [len(text)])
    whole, rest = text[:end], text[end:]
    mark = "-" if sign else plus if plus in ("+", " ") and plus else ""
    size = int(width or 0)
    if zero and align == ">" and fill == " ":
        digits = whole
        while True:
            whole = _grouped(digits, comma)
            if len(mark + whole + rest) >= size:
                break
            digits = "0" + digits
        return mark + whole + rest
    body = mark + _grouped(whole, comma) + rest
    if align == "=":
        return mark + body[len(mark):].rjust(size - len(mark), fill)
    return body.rjust(size, fill) if align == ">" else body.ljust(size, fill) if align == "<" else format(body, f"{fill}^{size}")


def _grouped(digits, comma):
    if not comma:
        return digits
    first = len(digits) % 3 or 3
    return comma.join([digits[:first]] + [digits[at:at + 3] for at in range(first, len(digits), 3)])


def _made(sign, value, exp):
    made = object.__new__(Decimal)
    made._sign, made._int, made._exp = sign, value, exp
    return made


def _other(value):
    if isinstance(value, Decimal):
        return value
    return Decimal(value) if isinstance(value, int) else None
