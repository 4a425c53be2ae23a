"""Kinds of numbers, for `isinstance`."""


class _Kind:
    def __init__(self, *names):
        self._names = names

    def __instancecheck__(self, value):
        return any(base.__name__ in self._names for base in type(value).__mro__)


Integral = _Kind("int")
Rational = _Kind("int", "Fraction")
Real = Complex = _Kind("int", "float", "Fraction")
Number = _Kind("int", "float", "Fraction", "Decimal")
