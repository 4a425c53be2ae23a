_abs = abs


class itemgetter:
    def __init__(self, *items):
        self._items = items

    def __call__(self, value):
        if len(self._items) == 1:
            return value[self._items[0]]
        return tuple([value[item] for item in self._items])


class attrgetter:
    def __init__(self, *names):
        self._names = names

    def _get(self, value, path):
        for name in path.split("."):
            value = getattr(value, name)
        return value

    def __call__(self, value):
        if len(self._names) == 1:
            return self._get(value, self._names[0])
        return tuple([self._get(value, name) for name in self._names])


class methodcaller:
    def __init__(self, name, *args, **kwargs):
        self._call = (name, args, kwargs)

    def __call__(self, value):
        name, args, kwargs = self._call
        return getattr(value, name)(*args, **kwargs)


def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def neg(a): return -a
def eq(a, b): return a == b
def ne(a, b): return a != b
def lt(a, b): return a < b
def le(a, b): return a <= b
def gt(a, b): return a > b
def ge(a, b): return a >= b
def and_(a, b): return a & b
def or_(a, b): return a | b
def not_(a): return not a
def contains(a, b): return b in a
def getitem(a, b): return a[b]
def delitem(a, b): del a[b]
def setitem(a, b, c): a[b] = c
def xor(a, b): return a ^ b
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def invert(a): return ~a
def pos(a): return +a
def abs(a): return _abs(a)
def index(a): return a.__index__() if hasattr(a, "__index__") else range(a).stop
def truth(a): return bool(a)
def is_(a, b): return a is b
def is_not(a, b): return a is not b
def concat(a, b): return a + b
def countOf(a, b): return sum([item == b for item in a])
def matmul(a, b): return a @ b


def indexOf(a, b):
    for at, item in enumerate(a):
        if item == b:
            return at
    raise ValueError("sequence.index(x): x not in sequence")


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


inv = invert
