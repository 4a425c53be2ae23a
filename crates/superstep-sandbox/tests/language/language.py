# -- str enum
from enum import Enum, IntEnum, Flag, IntFlag, auto, unique, StrEnum
class S(str, Enum):
    P = "p"
    Q = "q"
print(S.P == "p", S.P.upper(), S.P.value, S.P.name, repr(S.P), str(S.P), f"{S.P}", S("q"), {"p": 1}[S.P])
print(isinstance(S.P, str), len(S), list(S), S.P in S)
# -- enum order
from enum import Enum
class Status(Enum):
    OPEN = 1
    DOING = 2
    DONE = 3
    ALIAS = 1
    def label(self): return self.name.title()
print([s.name for s in Status], len(Status), Status.ALIAS is Status.OPEN, Status["DONE"], Status(2), Status.DOING.label())
print(Status, type(Status.OPEN), Status.OPEN == 1, Status.OPEN != Status.DONE, {Status.OPEN: "x"}[Status(1)])
print(list(Status.__members__), hash(Status.OPEN) == hash(Status.OPEN))
try: Status(9)
except ValueError as e: print(e)
try: Status.OPEN.value = 4
except AttributeError as e: print("AttributeError")
try: print(Status.OPEN < Status.DONE)
except TypeError as e: print(e)
# -- int enum
from enum import IntEnum, auto
class L(IntEnum):
    LOW = 1
    MID = auto()
    HIGH = 10
print(L.LOW + 1, L.HIGH > L.LOW, sorted([L.HIGH, L.LOW]), L.MID, repr(L.MID), f"{L.MID:03d}", L(10), L.HIGH == 10, int(L.MID), [10, 20, 30][L.LOW], max(L), sum(L))
# -- flag
from enum import Flag, IntFlag, auto
class P(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W
print(P.R | P.W, repr(P.R | P.X), P.R in (P.R | P.W), P.RW is (P.R | P.W), bool(P.R & P.W), ~P.R, list(P.RW), P.R.value, P(5), P(0), len(P))
class I(IntFlag):
    A = 1
    B = 2
print(I.A | I.B, (I.A | I.B) == 3, I.A | 8, repr(I.A|I.B))
# -- enum with init
from enum import Enum
class Planet(Enum):
    EARTH = (5.97e24, 6.37e6)
    MARS = (6.4e23, 3.4e6)
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    @property
    def density(self): return round(self.mass / self.radius)
print(Planet.EARTH.mass, Planet.MARS.density, Planet.EARTH.value, Planet.MARS)
Color = Enum("Color", "RED GREEN BLUE")
print(list(Color), Color.RED.value, Color.__name__)
class A(Enum):
    X = auto()
    Y = auto()
    Z = "z"
    @classmethod
    def default(cls): return cls.Y
    @staticmethod
    def helper(): return 5
print([a.value for a in A], A.default(), A.helper())
# -- unique and missing
from enum import Enum, unique
try:
    @unique
    class D(Enum):
        A = 1
        B = 1
except ValueError as e: print(e)
class M(Enum):
    X = "x"
    @classmethod
    def _missing_(cls, value):
        return cls.X if value == "?" else None
print(M("?"), M("x"))
# -- yield from value
def inner():
    x = yield 1
    print("got", x)
    return 5
def outer():
    r = yield from inner()
    print("r", r)
    yield r
g = outer()
print(next(g), g.send("hi"))
print(list(outer()))
# -- generator close
def g():
    try:
        yield 1
        yield 2
    finally:
        print("clean")
x = g(); next(x); x.close()
for i in g():
    break
print("after")
def h():
    try:
        yield 1
    except GeneratorExit:
        print("exit")
        raise
y = h(); next(y); y.close(); y.close()
# -- generator throw
def g():
    while True:
        try:
            v = yield
            print("v", v)
        except ValueError as e:
            print("caught", e)
            yield "thrown"
x = g(); next(x); x.send(3); print(x.throw(ValueError("bad")))
def r():
    yield 1
    return 7
it = r()
next(it)
try: next(it)
except StopIteration as e: print("value", e.value)
# -- throw through yield from
def inner():
    try:
        yield 1
    except KeyError:
        yield "inner"
    return "ret"
def outer():
    v = yield from inner()
    yield v
o = outer()
print(next(o), o.throw(KeyError("k")), next(o))
# -- descriptors
class Upper:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, cls=None):
        if obj is None: return self
        return getattr(obj, self.name, None)
    def __set__(self, obj, value): setattr(obj, self.name, value.upper())
class T:
    title = Upper()
t = T(); t.title = "abc"; print(t.title, t.__dict__, isinstance(T.title, Upper))
class Lazy:
    def __init__(self, f): self.f = f
    def __get__(self, obj, cls):
        v = self.f(obj); obj.__dict__["v"] = v; print("computed"); return v
class U:
    @Lazy
    def v(self): return 42
u = U(); print(u.v, u.v)
# -- typed descriptor
class Positive:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner): return obj.__dict__[self.name]
    def __set__(self, obj, value):
        if value <= 0: raise ValueError(f"{self.name} must be positive")
        obj.__dict__[self.name] = value
class Item:
    price = Positive()
    def __init__(self, price): self.price = price
print(Item(3).price)
try: Item(-1)
except ValueError as e: print(e)
# -- codecs
print("é".encode("latin-1"), "é".encode(), "é".encode("ascii", "ignore"), "é€".encode("latin-1", "replace"), "é".encode("ascii", "xmlcharrefreplace"), "é".encode("ascii", "backslashreplace"))
print(b"\xe9".decode("latin-1"), b"caf\xc3\xa9".decode(), b"\x80".decode("cp1252"), "ü".encode("utf-16-le"), "ab".encode("utf-16"))
for f in (lambda: "é".encode("ascii"), lambda: b"\xe9x".decode("utf-8"), lambda: "x".encode("nope"), lambda: b"\xff".decode(), lambda: b"\xc3".decode()):
    try: print(f())
    except (UnicodeError, LookupError) as e: print(type(e).__name__, e)
print(str(b"abc", "utf-8"), bytes("é", "utf-8"), b"\xff".decode(errors="replace"), b"\xffa".decode("utf-8", "ignore"))
# -- splitlines
print("a\nb\r\nc".splitlines(True), "a\nb\n".splitlines(), "a\x0bb\u2028c".splitlines(), "".splitlines(), "\n".splitlines(), "a\r\rb".splitlines(keepends=True))
# -- expandtabs
print(repr("a\tb\tc".expandtabs(4)), repr("\t1".expandtabs()), repr("ab\tc\n\td".expandtabs(tabsize=3)), repr("x\ty".expandtabs(0)))
# -- split
print("a b  c ".split(None, 1), "  1  2   3  ".rsplit(None, 1), "  a b ".split(), "a,b,c".rsplit(",", 1), "a,b,c".split(",", maxsplit=1), "".split(), "".split(","), " a  b ".split(" "), "x".rsplit(None, 0), " x ".split(None, 0))
# -- items comparison
d, e = {"a": 1, "b": 2}, {"b": 2, "a": 1}
print(d.items() == e.items(), d.keys() == e.keys(), d.items() & {("a", 1)}, d.keys() - {"a"}, ("a", 1) in d.items(), ("a", 2) in d.items(), d.items() >= {("a", 1)})
# -- fstring bool
print(f"{True:>10}|{False:<5}|{True:d}|{True}|{True!s:>6}|{1 == 1:^7}|{True:05}")
print(f"{None}", f"{'é'!a}", ascii("é€😀"), f"{3.0}", f"{1e20:,}", f"{12345.678:,.2f}", f"{-5:+d}", f"{5:+}", f"{255:#x} {255:b} {255:08b} {255:X}")
x = 5; y = "a"
print(f"{x=} {y=} {x + 1 = } {y!r:>5} {x:{'>'}{6}}")
# -- big division
print(10**25/3, 10**30 / 7, (2**70 + 1) / 3, 123456789012345678901234567890 / 987654321, -10**20 / 3, 9007199254740993 / 1, 1 / 3**50, 10**400 / 10**399)
try: print(10**400 / 3)
except OverflowError as e: print(e)
print(9007199254740993 / 3, 2**63 / 7, 1/10**300, 3 / 10**320)
# -- isinstance union
print(isinstance(1, int | str), isinstance(1.5, int | str), isinstance(None, int | None), int | str, isinstance("x", (int, str)), issubclass(bool, int | str), int | None)
# -- typeddict
from typing import TypedDict, NamedTuple, Optional
class Row(TypedDict):
    name: str
    qty: int
r: Row = {"name": "a", "qty": 1}
r2 = Row(name="b", qty=2)
print(r, r2, type(r2), r2["qty"])
class P(NamedTuple):
    x: int
    y: int = 5
    def total(self): return self.x + self.y
p = P(1)
print(p, p.x, p.total(), p == (1, 5), P._fields, p._asdict(), p._replace(x=9), isinstance(p, tuple), len(p), [*p], p[1])
a, b = p
print(a, b, P(2, 3) > P(1, 9), {p: 1}[(1, 5)])
# -- match star
def f(x):
    match x:
        case []: return "empty"
        case [a]: return f"one {a}"
        case [a, *rest]: return f"{a} then {rest}"
        case {"kind": "circle", "r": r}: return f"circle {r}"
        case {"kind": k, **rest}: return f"{k} {rest}"
        case str() as s: return f"str {s}"
        case int(n) if n > 5: return f"big {n}"
        case int() | float(): return "number"
        case None: return "none"
        case _: return "other"
for v in ([], [1], [1, 2, 3], (1, 2), {"kind": "circle", "r": 2}, {"kind": "sq", "s": 1}, "hi", 9, 2, 2.5, None, object, {}): print(f(v))
# -- match class
from dataclasses import dataclass
@dataclass
class Point:
    x: int
    y: int
def where(p):
    match p:
        case Point(0, 0): return "origin"
        case Point(x, 0): return f"x {x}"
        case Point(x=0, y=y): return f"y {y}"
        case Point(): return "point"
        case [Point(x=a), *_]: return f"list {a}"
        case [_, _, *mid, last]: return f"{mid} {last}"
        case (1 | 2 | 3) as n: return n
        case "a" | "b": return "ab"
        case -1: return "minus"
        case True: return "t"
for v in (Point(0, 0), Point(3, 0), Point(0, 4), Point(1, 1), [Point(7, 7), 1], [1, 2, 3, 4], 2, "b", -1, 2.0): print(where(v))
# -- counter ops
from collections import Counter
a, b = Counter("aabbc"), Counter("abd")
print(a & b, a | b, a + b, a - b, +Counter(a=1, b=-1), a.most_common(2), a.total(), sorted(a.elements()), a == Counter("bcaab"), a["zz"], a >= b)
a.update("zz"); a.subtract("a"); print(a, dict(a), Counter({"x": 3}), Counter(x=1), list(Counter([3, 3, 1])))
c = Counter(); c["k"] += 2; print(c, c.most_common(), repr(Counter()))
# -- timetuple
from datetime import datetime, date
t = datetime(2024, 2, 29, 13, 5, 7).timetuple()
print(t.tm_year, t.tm_yday, t.tm_wday, t[0], tuple(t), t)
print(date(2024, 3, 1).timetuple().tm_yday)
# -- live dict
class C: pass
c = C(); c.__dict__["x"] = 5; c.__dict__.update(y=6); vars(c)["z"] = 7
print(c.x, c.y, c.z, vars(c)); c.x = 9; print(c.__dict__)
class K:
    def __init__(self, **kw): self.__dict__.update(kw)
print(K(a=1).a)
# -- abstract
from abc import ABC, abstractmethod, ABCMeta
class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self): ...
class Sq(Shape):
    def area(self): return 4
    @property
    def name(self): return "sq"
for c in (Shape, Sq):
    try: print(c().area(), c().name)
    except TypeError as e: print(e)
class M(metaclass=ABCMeta):
    @abstractmethod
    def f(self): ...
try: M()
except TypeError as e: print(e)
# -- mro
class A:
    def f(self): return ["A"]
class B(A):
    def f(self): return ["B"] + super().f()
class C(A):
    def f(self): return ["C"] + super().f()
class D(B, C):
    def f(self): return ["D"] + super().f()
print(D().f(), [c.__name__ for c in D.__mro__], D.__bases__)
try:
    class E(A, B): pass
except TypeError: print("TypeError")
# -- init subclass
class Plugin:
    registry = {}
    def __init_subclass__(cls, /, key=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.registry[key or cls.__name__] = cls
class X(Plugin, key="x"): pass
class Y(Plugin): pass
print(sorted(Plugin.registry), Plugin.registry["x"])
# -- private names
class A:
    def __init__(self): self.__x = 1; self._y = 2
    def get(self): return self.__x
    def __helper(self): return "A"
    def call(self): return self.__helper()
class B(A):
    def __init__(self): super().__init__(); self.__x = 5
    def __helper(self): return "B"
b = B(); print(b.get(), b.call(), sorted(vars(b)), b._A__x)
try: b.__x
except AttributeError as e: print(e)
# -- hash collisions
class P:
    def __init__(self, x, y): self.x, self.y = x, y
    def __hash__(self): return hash(self.x)
    def __eq__(self, o): return (self.x, self.y) == (o.x, o.y)
d = {P(1, 2): "a", P(1, 3): "b"}
print(len(d), d[P(1, 2)], d[P(1, 3)], P(1, 4) in d, len({P(1, 1), P(1, 1), P(1, 2)}))
class Q:
    def __eq__(self, o): return True
try: {Q(): 1}
except TypeError as e: print(e)
# -- equality protocol
class V:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return NotImplemented if not isinstance(o, V) else self.v == o.v
    def __ne__(self, o): return "ne"
print(V(1) == V(1), V(1) == 1, V(1) != V(1), V(1) in [V(1)], [V(1)] == [V(1)])
n = float("nan"); print(n == n, n in [n], [n] == [n], n != n)
print(1 == 1.0, hash(1) == hash(1.0), {1: "a", True: "b", 1.0: "c"}, {1, True, 1.0}, (1, 2) == [1, 2], 10**19 in {1e19})
# -- type repr
class Outer:
    class Inner: pass
def f():
    class Local: pass
    return Local
print(Outer, Outer.Inner, f(), type(1), ValueError, type(None), Outer.Inner.__qualname__, Outer.__module__, int, type(Outer()), type(print), type(f))
print([int, str], type("x"), type(Outer.Inner()).__name__)
# -- exceptions
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError("bad") from e
except ValueError as e: print(repr(e), repr(e.__cause__), e.__context__ is e.__cause__, e.args)
try:
    try: {}["k"]
    except KeyError: raise RuntimeError("second")
except RuntimeError as e: print(repr(e.__context__), e.__cause__)
class MyErr(Exception):
    def __init__(self, code, msg): super().__init__(msg); self.code = code
try: raise MyErr(3, "m")
except MyErr as e: print(e, e.code, repr(e), e.args)
class E2(ValueError):
    def __str__(self): return "E2:" + super().__str__()
print(str(E2("x")), repr(E2("x", 1)), str(KeyError("a")), str(OSError(2, "no")), OSError(2, "no").errno)
try: raise E2
except ValueError as e: print(type(e), e.args)
e = ValueError("a"); e.add_note("n"); print(e.__notes__)
# -- finally flow
def f(n):
    for i in range(3):
        try:
            if i == n: return "ret"
            if i == 1: continue
        except Exception: pass
        else: print("else", i)
        finally: print("fin", i)
    return "end"
print(f(0), f(5))
def g():
    try: return 1
    finally: return 2
print(g())
def h():
    while True:
        try: break
        finally: print("b")
    return "out"
print(h())
# -- with
class Ctx:
    def __init__(self, n, swallow=False): self.n, self.s = n, swallow
    def __enter__(self): print("enter", self.n); return self
    def __exit__(self, t, v, tb): print("exit", self.n, t.__name__ if t else None); return self.s
with Ctx(1) as a, Ctx(2) as b: print(a.n, b.n)
with Ctx(3, True): raise ValueError("x")
with (Ctx(4) as c, Ctx(5)): pass
def f():
    with Ctx(6): return "r"
print(f())
for i in range(2):
    with Ctx(i):
        if i == 0: continue
        break
# -- operators on classes
class Money:
    def __init__(self, a): self.a = a
    def __add__(self, o): return Money(self.a + (o.a if isinstance(o, Money) else o))
    __radd__ = __add__
    def __mul__(self, k): return Money(self.a * k)
    def __neg__(self): return Money(-self.a)
    def __lt__(self, o): return self.a < o.a
    def __repr__(self): return f"Money({self.a})"
    def __bool__(self): return self.a != 0
    def __iadd__(self, o): self.a += 100; return self
    def __getitem__(self, k): return k
    def __len__(self): return 3
    def __contains__(self, k): return k == 7
    def __call__(self, *a, **k): return (a, k)
    def __format__(self, s): return f"<{s}>"
    def __int__(self): return int(self.a)
    def __float__(self): return float(self.a)
    def __index__(self): return int(self.a)
    def __round__(self, n=None): return ("round", n)
    def __abs__(self): return Money(abs(self.a))
    def __eq__(self, o): return isinstance(o, Money) and self.a == o.a
m = Money(5)
print(sum([Money(1), Money(2)]), m + 1, 1 + m, m * 2, -m, m < Money(6), sorted([Money(3), Money(1)]), bool(Money(0)), m[1:2], m[::2], m[1, 2], len(m), 7 in m, m(1, b=2), f"{m:abc}", int(m), float(m), [0, 1, 2, 3, 4, 5][m], round(m), round(m, 2), abs(Money(-3)), hex(m), m != Money(5))
m += 1; print(m, m > Money(1))
# -- int methods
print((255).to_bytes(2, "big"), int.from_bytes(b"\x01\x00", "big"), (10).bit_length(), (-5).bit_count(), int("  12 "), int("1_000"), int("ff", 16), int("0b11", 0), int(-3.9), int("-7"), round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(1250, -2), round(15, -1), round(1234567890123456789, -3), divmod(-7, 3), divmod(7.5, 2), -7 // 2, -7 % 3, 7 % -3, 2 ** -1, pow(3, 4, 5), 7.0 // 2, -7.5 % 2)
for s in ("1__0", "_1", "1_", "", "x", "1.5", "0x1"):
    try: print(int(s))
    except ValueError as e: print(e)
for s in ("1_0.5", "nan", "-inf", "1e5", " 2.5 ", "1__0", ".5", "5.", "1e", "infinity", "+3"):
    try: print(float(s))
    except ValueError as e: print(e)
print((5).real, (2.5).is_integer(), (0.5).as_integer_ratio(), (7).conjugate(), -6.0 % 3.0, 6.0 % -3.0, -0.0, 0.0 * -1, 5 // -0.3, 1e16, 1e-5, 123456789.123456789, 1e22, 0.1 + 0.2, 1/3, 100.0, 1e15, 2.0**100)
# -- slices
a = list(range(10))
print(a[2:5], a[::-1], a[-3:], a[8:2:-2], a[:100], a[5:2], slice(1, 5, 2), slice(1, 5).indices(3), a[slice(2, 4)])
a[1:3] = ["x"]; print(a); a[::2] = [0] * len(a[::2]); print(a); del a[::3]; print(a); a[2:2] = [7, 7]; print(a); a *= 2; print(len(a)); del a[:]; print(a)
print("hello"[::-1], "hello"[1:-1], (1, 2, 3)[1:], range(10)[2:8:3], b"abc"[1:], "abc"[5:], "héllo"[1])
# -- unpack
a, *b, c = range(5); print(a, b, c)
(a, b), [c, d] = (1, 2), (3, 4); print(a, b, c, d)
first, *_ = "xyz"; print(first, _)
print([*range(3), *"ab"], {**{"a": 1}, "b": 2}, (*[1], 2), {*[1, 2], 3})
def f(a, b=2, *args, c, d=4, **kw): return a, b, args, c, d, kw
print(f(1, c=3), f(1, 2, 3, 4, c=5, z=6), f(*[1, 2], **{"c": 3, "q": 1}))
def g(a, /, b, *, c): return a, b, c
print(g(1, 2, c=3), g(1, b=2, c=3))
for bad in (lambda: g(a=1, b=2, c=3), lambda: g(1, 2, 3), lambda: f(1), lambda: f()):
    try: bad()
    except TypeError as e: print("TypeError")
for a, (b, c) in [(1, (2, 3))]: print(a, b, c)
x = y = [1]; x.append(2); print(y)
# -- closures
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc
c = counter(); c(); print(c(5), [f() for f in [lambda i=i: i * 2 for i in range(3)]], [f() for f in [lambda: i for i in range(3)]])
def deco(n):
    def wrap(f):
        def inner(*a, **k): return [f(*a, **k)] * n
        inner.__name__ = f.__name__
        return inner
    return wrap
@deco(2)
def hi(name): return "hi " + name
print(hi("x"), hi.__name__)
# -- comprehension
print([x * y for x in range(3) for y in range(x) if y % 2 == 0], {k: v for k, v in zip("ab", [1, 2])}, {x % 3 for x in range(5)} == {0, 1, 2}, list(x for x in range(3)), [[j for j in range(i)] for i in range(3)], [y := 5, y ** 2], sum(x for x in range(10) if x & 1), [(a, b) for a, b in {"q": 1}.items()], any(x > 3 for x in range(5)), dict([("a", 1)], b=2))
print(next((x for x in range(10) if x > 20), None), max(range(5), key=lambda v: -v), min("abc", "b", key=ord), sorted("bca", reverse=True), list(zip([1, 2], "ab", strict=True)), list(enumerate("ab", start=1)), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, "", 2])), list(reversed([1, 2])), all([]), any([]))
# -- chained
print(1 < 2 < 3, 1 < 3 > 2, not 1 == 2, 1 if 0 else 2, 0 or "d", 1 and 2, None or 0, "a" in "abc" in ["abc"], 5 & 3 | 8 ^ 1, 1 << 10 >> 2, ~5, -2 ** 2, 2 ** 3 ** 2, not None is None, 3 == 3.0 != 4)
# -- print options
import sys, io
print(1, 2, sep="-", end="!\n"); print(); print("a", None, 1.0, [1, "b"], sep=",")
buf = io.StringIO(); print("x", 1, file=buf); print(repr(buf.getvalue())); print("a", end=""); print("b", flush=True)
print("err", file=sys.stdout)
# -- str methods
s = "Hello World"
print(s.count("o"), s.count("o", 5), s.find("o", 5), s.find("z"), s.index("W"), s.rfind("o", 0, 6), s.startswith("World", 6), s.endswith("o", 0, 5), s.replace("l", "L", 2), s.swapcase(), s.center(20, "*"), "x".center(4), "xy".center(5), s.ljust(12, "."), s.rjust(13), "42".zfill(5), "-42".zfill(5), s.partition(" "), s.rpartition("o"), s.title(), "it's".title(), "ß".casefold(), "ß".upper(), "ABC".casefold(), "abc".isalpha(), "12".isdigit(), "²".isdigit(), "²".isdecimal(), "½".isnumeric(), "a1".isalnum(), " ".isspace(), "Ab".istitle(), "123".istitle(), "".isalpha(), "aB".islower(), "abc".translate(str.maketrans("ab", "xy", "c")), "abc".translate({97: None, 98: "BB"}), "{a} {0}".format(1, a=2), "{0[k]} {1.real}".format({"k": 1}, 5), "%s %d %5.2f %-5s| %05d %x %r %%" % ("a", 5, 3.14159, "l", 42, 255, "q"), "%(a)s" % {"a": 1}, "{:>{w}}".format(5, w=4), "{!r:>5}".format("a"), "{x}".format_map({"x": 9}), "a-b".removeprefix("a"), "a.txt".removesuffix(".txt"), "\t x ".strip(), "xxaxx".strip("x"), "abc" * 2, "b" > "a", "abc".join(["1", "2"]), "a\tb".split("\t"), ord("a"), chr(8364), "z".isidentifier(), "\u200b".isprintable())
for f in (lambda: "a".center(5, "xx"), lambda: "%d" % "x", lambda: "%s %s" % (1,), lambda: "%s" % (1, 2), lambda: "abc".index("z"), lambda: "".join([1]), lambda: "a" + 1, lambda: "x".partition(""), lambda: "{}".format(), lambda: "{a}".format(), lambda: "a".split("")):
    try: print(f())
    except Exception as e: print(type(e).__name__)
# -- repr text
print(repr("it's"), repr('a"b'), repr("a'b\"c"), repr("\n\t\\\x00\x7f\xa0\xad\u200b\u2028é😀\ue000"), [None, "x"], {"k": (1,)}, repr(b"it's \xff\n"), {1: {2: [3]}}, (), (1,), set(), frozenset([1]), {1}, range(3), slice(None, 2, None), ..., NotImplemented)
# -- bytes
b = b"hello world"
print(b.split(), b.upper(), b[0], b[1:3], b + b"!", b.hex(), bytes([1, 2]), bytes(3), list(b"ab"), b.find(b"wor"), b"a,b".split(b","), b.replace(b"l", b"L"), b.startswith(b"he"), bytes.fromhex("ff 00"), 104 in b, b"ll" in b, b"a" * 3, b"-".join([b"x", b"y"]), b == b"hello world", b.strip(b"hd"))
# -- dict
d = {"b": 1, "a": 2}
print(d | {"c": 3}, list(reversed(d)), d.pop("zz", 0), d.get("q"), d.get("q", 5), d.setdefault("n", []), d.popitem(), list(d), sorted(d.items()), dict.fromkeys("ab", 0), {v: k for k, v in d.items()}, "a" in d, len(d), dict(zip("xy", [1, 2])), max(d, key=d.get), d.keys() & {"a"}, {**d, "a": 9}, d == {"a": 2, "b": 1}, min(d.values()))
d |= {"z": 26}; d.update([("y", 25)], x=24); del d["z"]; print(d, d.copy() is d, list(d.values()), d.items())
for f in (lambda: {}["x"], lambda: {}.popitem(), lambda: {[]: 1}, lambda: dict([1])):
    try: f()
    except Exception as e: print(type(e).__name__)
try:
    for k in d: d[k + "1"] = 1
except RuntimeError as e: print(e)
# -- list
a = [3, 1, 2]
a.sort(key=lambda v: -v); print(a, a.index(1), a.index(2, 1), a.count(2), a.pop(), a.pop(0), a.insert(0, 9), a, a.extend("ab"), a, a.remove("a"), a.reverse(), a, a.copy(), [1] + [2], [1, 2] < [1, 3], [0] * 3, sorted(["b", "A", "c"], key=str.lower), sorted([(1, "b"), (1, "a")]), 5 in a, a == [1], sum([[1], [2]], []))
for f in (lambda: [].pop(), lambda: [1].remove(2), lambda: [1][5], lambda: [1].index(3), lambda: [1, "a"].sort(), lambda: [1].index(1, 1), lambda: sorted([1, None])):
    try: f()
    except Exception as e: print(type(e).__name__, e)
# -- set
a, b = {1, 2, 3}, {2, 3, 4}
print(a & b, sorted(a | b), a - b, sorted(a ^ b), a <= b, a.isdisjoint({9}), {1} < a, a.union([5], (6,)) == {1, 2, 3, 5, 6}, frozenset([1, 2]) == {1, 2}, len({frozenset([1]), frozenset([1])}), a.intersection([1]), a.difference([1]) == {2, 3}, a.symmetric_difference([1]) == {2, 3}, a.issubset({1, 2, 3, 4}), a.issuperset([1]))
a.add(9); a.discard(1); a.update([5]); a.intersection_update([5, 9, 2]); a.difference_update([2]); a.symmetric_difference_update([1]); a -= {1}; a |= {7}; print(sorted(a))
# -- global
n = 0
def bump():
    global n
    n += 1
bump(); bump(); print(n)
def unbound():
    print(zz)
    zz = 1
try: unbound()
except UnboundLocalError: print("unbound")
try: undefined_name
except NameError as e: print(e)
# -- while else
i = 0
while i < 3: i += 1
else: print("done", i)
for i in []: pass
else: print("for else")
for i in range(3):
    if i == 1: break
else: print("never")
i = 10
for i in range(2): pass
print(i)
# -- iter protocol
class Count:
    def __init__(self, n): self.i, self.n = 0, n
    def __iter__(self): return self
    def __next__(self):
        if self.i >= self.n: raise StopIteration
        self.i += 1
        return self.i
print(list(Count(3)), sum(Count(4)), 2 in Count(3), [*Count(2)], max(Count(5)), dict(zip(Count(2), "ab")), list(iter(Count(2))))
class Seq:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 10
print(list(Seq()), 20 in Seq(), list(reversed([1])))
it = iter([1, 2]); print(next(it), next(it), next(it, "end"))
print(list(iter(lambda c=[0]: c.__setitem__(0, c[0] + 1) or c[0], 3)))
# -- class features
class A:
    count = 0
    items = []
    def __init__(self): type(self).count += 1
    @classmethod
    def make(cls): return cls()
    @staticmethod
    def s(x): return x + 1
    @property
    def p(self): return self._p
    @p.setter
    def p(self, v): self._p = v * 2
    @p.deleter
    def p(self): print("del")
a = A.make(); a.p = 4; print(a.p, A.count, A.s(1), a.s(2), isinstance(A.p, property)); del a.p
try: a.q
except AttributeError as e: print(e)
class B(A):
    __slots__ = ()
    def __getattr__(self, n): return n.upper() if not n.startswith("_") else super().__getattribute__(n)
print(B().zap, hasattr(A(), "p"), getattr(a, "zz", 1), hasattr(B, "make"), issubclass(B, A), callable(A), callable(5))
setattr(a, "k", 1); delattr(a, "k"); print(hasattr(a, "k"))
class S:
    __slots__ = ("x",)
s = S(); s.x = 1
try: s.y = 2
except AttributeError: print("slots")
# -- list subclass
class L(list):
    def total(self): return sum(self)
class D(dict):
    def __missing__(self, k): return k * 2
class St(str):
    def shout(self): return self.upper() + "!"
class N(int):
    def double(self): return N(self * 2)
class F(float): pass
l = L([1, 2]); l.append(3); print(l, l.total(), len(l), l[1:], type(l[1:]) is list, l == [1, 2, 3], isinstance(l, list))
d = D(a=1); print(d["a"], d["b"], d, len(d), "b" in d); print(St("hi").shout(), St("hi") + "x", len(St("abc")), {St("k"): 1}["k"], St("a") == "a")
print(N(4).double(), N(3) + 1, type(N(3) + 1), F(2.5) * 2, N(5) > 3, f"{N(7):03d}", repr(N(3)), [10, 20][N(1)])
class Stack(list):
    def __init__(self, *a): super().__init__(a); self.n = len(a)
    def push(self, x): self.append(x); return self
    def __repr__(self): return f"Stack({list(self)})"
    def __getitem__(self, i): return ("item", super().__getitem__(i))
print(Stack(1, 2).push(3), Stack(5)[0], Stack(1).n, str(Stack(1)))
# -- dates
from datetime import datetime, date, time, timedelta, timezone
print(datetime(2024, 1, 2, tzinfo=timezone.utc).isoformat(), datetime.fromisoformat("2024-01-02T03:04:05+02:00"), repr(datetime(2024, 1, 2, 3, 4, 5, 6)), time(1, 2, 3, 4).isoformat(), repr(time(1, 2, 3)), repr(timedelta(days=1, seconds=2, microseconds=5)), timedelta(0), repr(timedelta(0)))
tz = timezone(timedelta(hours=2)); d = datetime(2024, 5, 6, 12, tzinfo=tz)
print(d, d.astimezone(timezone.utc), d.utcoffset(), d.tzname(), d == datetime(2024, 5, 6, 10, tzinfo=timezone.utc), repr(d), d.timestamp(), datetime.fromtimestamp(0, timezone.utc), d - datetime(2024, 5, 6, tzinfo=timezone.utc), repr(tz), timezone.utc, {d: 1}[datetime(2024, 5, 6, 10, tzinfo=timezone.utc)], d.strftime("%z %Z"), datetime.strptime("2024-01-02 +0130", "%Y-%m-%d %z"))
for f in (lambda: datetime(2024, 1, 1) < d, lambda: datetime(2024, 1, 1) - d, lambda: date(2024, 1, 1) < datetime(2024, 1, 1), lambda: date(2023, 2, 29), lambda: datetime.strptime("x", "%Y"), lambda: datetime.fromisoformat("nope"), lambda: date.fromisoformat("2024-13-01"), lambda: datetime.strptime("2024-01-01x", "%Y-%m-%d"), lambda: datetime(2024, 1, 1, 24), lambda: datetime.strptime("24-01-02", "%Y-%m-%d")):
    try: print(f())
    except (TypeError, ValueError) as e: print(type(e).__name__, e)
print(date(2024, 2, 29) + timedelta(365), date(2024, 1, 31) - date(2023, 12, 25), date(2024, 1, 1).isocalendar(), date(2024, 1, 1).isocalendar().week, date(2021, 1, 3).isocalendar()[1], date(2024, 3, 1).strftime("%A %d %B %Y %j %U %W %a %b %y %-d"), date.fromordinal(738000), date(2024, 1, 1).toordinal(), date.min, date.max, datetime.max, date(2024, 5, 5).replace(day=1), datetime(2024, 5, 5, 1, 2).replace(hour=9), date.fromisocalendar(2024, 9, 4), date(2024, 1, 1) == datetime(2024, 1, 1), datetime(2024, 1, 1).date() == date(2024, 1, 1))
print(timedelta(days=0.1), timedelta(hours=1.5) * 2, timedelta(days=1) / 3, timedelta(days=-1, hours=1), -timedelta(hours=5), timedelta(days=1).total_seconds(), timedelta(seconds=90) // timedelta(seconds=60), timedelta(seconds=90) % timedelta(seconds=60), divmod(timedelta(hours=5), timedelta(hours=2)), timedelta(weeks=1) > timedelta(days=6), sum([timedelta(1), timedelta(2)], timedelta()), abs(timedelta(-1)), timedelta(1) * 0.5, timedelta(milliseconds=1.5), str(timedelta(days=2, hours=3)), timedelta(microseconds=1))
print(datetime.strptime("03/04/2024 05:06 PM", "%m/%d/%Y %I:%M %p"), datetime.strptime("Jan 5, 2024", "%b %d, %Y"), datetime.strptime("5 January 2024", "%d %B %Y").date(), datetime.strptime("2024-01-02T03:04:05.123456", "%Y-%m-%dT%H:%M:%S.%f"), datetime.combine(date(2024, 1, 1), time(5)), datetime(2024, 1, 1, 15).strftime("%I %p %H:%M:%S.%f"), f"{date(2024, 1, 2):%d.%m.%Y}", f"{date(2024, 1, 2)}", datetime(2024, 1, 2, 3).isoformat(" ", "minutes"), datetime.fromisoformat("20240102T0304"), datetime.fromisoformat("2024-01-02 03:04:05.5Z"), date.fromisoformat("2024-W05-3"), time.fromisoformat("04:05"), datetime(2024, 1, 1, 5).time(), datetime(2024, 1, 5).weekday(), (datetime(2024, 3, 1) - datetime(2024, 2, 1)).days, datetime(2024, 1, 1).ctime(), max(date(2024, 1, 1), date(2023, 1, 1)), sorted([date(2024, 2, 1), date(2024, 1, 1)])[0], time(5) < time(6), time(10, 30).strftime("%H.%M"), datetime(2024, 12, 30).strftime("%G-W%V"))
# -- report
rows = [("North", 10, 2.5), ("South", 7, 3.25), ("North", 3, 1.0)]
totals = {}
for region, qty, price in rows:
    totals.setdefault(region, {"qty": 0, "value": 0.0})
    totals[region]["qty"] += qty
    totals[region]["value"] += qty * price
for region, t in sorted(totals.items(), key=lambda kv: kv[1]["value"], reverse=True):
    print(f"{region:<10}{t['qty']:>5}{t['value']:>12,.2f}")
print("-" * 27, f"{'Total':<10}{sum(t['qty'] for t in totals.values()):>5}", sep="\n")
w = 12
print(f"{'a':>{w}}|{3.14159:{w}.{3}f}|{'x' * 3:^{w}}|{1234567.891:,.1f}|{0.256:.1%}|{1e-10:g}|{12345:e}|{-7:04d}|{3:<4}|{True}")
# -- parse
text = "name: Widget; price: $1,234.50; qty: 12; date: 2024-03-05"
d = dict(part.strip().split(": ", 1) for part in text.split(";"))
price = float(d["price"].replace("$", "").replace(",", ""))
print(d, price, int(d["qty"]) * price, d["date"].split("-")[::-1], "".join(ch for ch in text if ch.isupper()))
# -- matrix
m = [[1, 2, 3], [4, 5, 6]]
print(list(zip(*m)), [list(r) for r in zip(*m)], [sum(r) for r in m], sum(sum(r) for r in m), max(max(r) for r in m), [[m[j][i] for j in range(2)] for i in range(3)], [x for r in m for x in r], [[0] * 3 for _ in range(2)])
# -- sort multi
people = [{"n": "Bo", "a": 30}, {"n": "Al", "a": 30}, {"n": "Cy", "a": 25}]
print(sorted(people, key=lambda p: (-p["a"], p["n"])), min(people, key=lambda p: p["a"])["n"], [p["n"] for p in sorted(people, key=lambda p: p["n"].lower(), reverse=True)])
# -- group
from itertools import groupby
from collections import defaultdict
data = [("a", 1), ("b", 2), ("a", 3)]
g = defaultdict(list)
for k, v in data: g[k].append(v)
print(dict(g), {k: sum(v) for k, v in g.items()}, {k: [v for _, v in vs] for k, vs in groupby(sorted(data), key=lambda t: t[0])})
# -- classes
class Account:
    interest = 0.05
    _registry = []
    def __init__(self, owner, balance=0):
        self.owner, self.balance = owner, balance
        self._registry.append(self)
    def deposit(self, amount):
        if amount <= 0: raise ValueError("amount must be positive")
        self.balance += amount
        return self
    def __str__(self): return f"{self.owner}: {self.balance:.2f}"
    def __repr__(self): return f"{self.__class__.__name__}({self.owner!r}, {self.balance})"
class Savings(Account):
    def add_interest(self): return self.deposit(self.balance * self.interest)
s = Savings("Ann", 100).add_interest()
print(s, repr(s), [s], f"{s}", "%s" % s, str([s]), len(Account._registry), isinstance(s, Account), Savings.__mro__[1].__name__, s.__dict__, vars(s) is s.__dict__)
try: s.deposit(-1)
except ValueError as e: print(f"Error: {e}")
# -- stack trace of errors
def risky(x):
    if x == 0: raise ZeroDivisionError("zero!")
    if x == 1: raise KeyError("missing")
    return [1, 2][x]
for x in range(4):
    try: print(risky(x))
    except (ZeroDivisionError, KeyError) as e: print(type(e).__name__, e, e.args)
    except IndexError as e: print("IndexError:", e)
    except Exception as e: print("other", e)
# -- unpack messages
for src in (lambda: [(a, b) for a, b in [(1, 2, 3)]], lambda: [(a, b) for a, b in [(1,)]], lambda: [a for a, *b, c in [(1,)]], lambda: [(a, b) for a, b in [5]]):
    try: print(src())
    except Exception as e: print(type(e).__name__, "|", e)
# -- late
x = 10
def outer():
    x = 20
    class A:
        x = 30
        y = [x for _ in range(1)]
        def m(self): return x
    return A.y, A().m(), A.x
print(outer())
def default(a, l=[]): l.append(a); return l
print(default(1), default(2), default.__defaults__)
fs = []
for i in range(3):
    def g(i=i): return i
    fs.append(g)
print([f() for f in fs])
# -- walrus and ternary
data = [3, 8, 1]
if (n := len(data)) > 2: print(n)
print([y for x in data if (y := x * 2) > 5], y, "even" if n % 2 == 0 else "odd", (lambda: (z := 3) + z)())
while (v := data.pop()) != 3: print(v)
# -- numbers
print(0.1 + 0.2, 1e3, 5e-324, 1.7976931348623157e308, float("inf"), -float("inf"), 2 ** 64, 2 ** -3, 10 ** 18, 7 // 2, -7 // 2, 7 % -3, 1_000_000, 0xFF, 0o17, 0b101, 3.0 == 3, round(0.5), round(1.5), round(2.345, 2), round(-1.5), int(1e18), 1e16 + 1, 123456789 * 987654321, 0.1 * 3, 1 / 3, 100 * 1.1, 3 * 1.1, 4.35 * 100, 1.005 * 1000, sum([0.1, 0.2]), 1e21, 123456789012345680.0, 1.0e-4, 0.00001, 12345678.9, 1e15, 9.999999999999999e22)
# -- bool logic
print(True + True, True * 5, sum([True, False, True]), not [], not 0, bool("False"), [] == False, 0 == False, "" == False, None == False, 1 is True if 0 else "", True == 1.0, isinstance(True, int), int(True), str(True), max(True, 2), [1, 0][True], {True: "a"}[1])
# -- slicing assign
l = list(range(6)); l[::2] = "abc"; print(l); l[1:1] = [9, 9]; print(l); l[-2:] = []; print(l); del l[0], l[0]; print(l); l[:] = [1]; print(l, l * 3, l + [2])
t = (1, 2, 3); a, (b, *c), d = 1, (2, 3, 4), 5; print(t[::-1], t + (4,), t * 2, t.index(2), a, b, c, d, (1,) < (1, 2), (2, 1) > (1, 9))
# -- dict iteration order
d = {"z": 1, "a": 2}; d["m"] = 3; d["z"] = 9; del d["a"]; d["a"] = 4
print(list(d), d, [*d], list(d.items())[-1], next(iter(d)), dict(reversed(list(d.items()))), {k: d[k] for k in sorted(d)}, sorted(d, key=d.get), dict(sorted(d.items(), key=lambda kv: -kv[1])), d.pop("m"), d.popitem(), d)
# -- nested functions and recursion
def fact(n): return 1 if n <= 1 else n * fact(n - 1)
def flatten(x):
    for i in x:
        if isinstance(i, list): yield from flatten(i)
        else: yield i
def hanoi(n, a="A", b="B", c="C"): return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
print(fact(25), list(flatten([1, [2, [3, [4]], 5]])), hanoi(6))
def fibgen():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
g = fibgen(); print([next(g) for _ in range(10)])
# -- primes
def sieve(n):
    flags = [True] * (n + 1); flags[0:2] = [False, False]
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]: flags[i * i::i] = [False] * len(flags[i * i::i])
    return [i for i, f in enumerate(flags) if f]
print(sieve(50))
# -- string formatting table
from datetime import date, timedelta
start = date(2024, 1, 29)
for i in range(4):
    d = start + timedelta(days=i)
    print(f"{d:%a %d %b %Y} | {d.isoformat()} | {d.month:02d}/{d.day:02d} | Q{(d.month - 1) // 3 + 1} | {d.strftime('%B')[:3]} | {d.weekday() >= 5}")
print((date(2024, 12, 31) - date(2024, 1, 1)).days, date(2024, 3, 31).replace(month=2, day=29), divmod(100, 7), [d.day for d in (start + timedelta(weeks=w) for w in range(3))])
# -- enum use
from enum import Enum
class Color(Enum):
    RED = "#f00"
    GREEN = "#0f0"
print([c.name for c in Color], Color("#f00"), Color["GREEN"].value, {c.name: c.value for c in Color}, Color.RED in Color, Color.RED is Color("#f00"), isinstance(Color.RED, Color), list(Color)[0], str(Color.GREEN), f"{Color.RED.value}", sorted(Color, key=lambda c: c.value)[0].name, len(Color), hash(Color.RED) is not None, Color.RED == "#f00")
match Color.GREEN:
    case Color.RED: print("r")
    case Color.GREEN: print("g")
# -- re use
import re
log = "2024-01-05 ERROR [db] Timeout after 30s\n2024-01-06 INFO [web] ok"
for m in re.finditer(r"(?P<d>\d{4}-\d\d-\d\d) (?P<lvl>[A-Z]+) \[(?P<src>\w+)\] (?P<msg>.*)", log): print(m.groupdict(), m.span("lvl"), m.lastgroup)
print(re.sub(r"(\d+)s", lambda m: f"{int(m[1]) * 1000}ms", log).splitlines()[0], re.split(r"[\s,;]+", "a, b;c  d"), re.findall(r"[\w.+-]+@[\w-]+\.[\w.]+", "x <a.b+c@d-e.co.uk>, q@w.io"), bool(re.match(r"^[A-Z]{3}-\d{4}$", "ABC-1234")), re.sub(r"[^a-z0-9]+", "-", "Hello, World! 42".lower()).strip("-"), re.sub(r"(?<!^)(?=[A-Z])", "_", "camelCaseString").lower(), re.findall(r"\$?(\d[\d,]*\.?\d*)", "$1,234.50 and 7"), re.search(r"[[\]{}]", "a[b").group(), re.findall(r"a{2}|b{1,}|c{,2}", "aabbbcc"), re.sub(r"\{(\w+)\}", r"<\1>", "x {y} z"), re.fullmatch(r"[\d\s()+-]+", "+1 (555) 123-4567") is not None, re.split(r"(?<=[.!?])\s+", "One. Two! Three?"), re.findall(r"(?m)^\s*(\w+)\s*=\s*(.+?)\s*$", "a = 1\n b= two words \n"), re.sub(r"\b(\w)", lambda m: m.group(1).upper(), "hello big world"), re.sub(r"\s{2,}", " ", "a   b    c"), re.escape("1+1=2?"), re.findall(r"\bto\w*", "to today tomato"))
# -- decimals
from decimal import Decimal, ROUND_HALF_UP
p = [Decimal("19.99"), Decimal("5.01"), Decimal("0.10")]
total = sum(p); tax = (total * Decimal("0.0825")).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
print(total, tax, total + tax, f"{total + tax:,.2f}", Decimal("1") / Decimal("7"), float(total), int(total), round(total, 1), str(Decimal("1E+2")), Decimal("0.1") + Decimal("0.2") == Decimal("0.3"), max(p), sorted(p), Decimal("1.10").normalize(), Decimal(5).as_tuple(), f"{Decimal('1234567.891'):,.1f}", f"{Decimal('0.5'):.0f}", f"{Decimal('1e3'):f}", f"{Decimal('-3.14159'):+.3f}", f"{Decimal('12'):>8}", f"{Decimal('12'):08.2f}", f"{Decimal('0.00001234'):e}", f"{Decimal('123.456'):g}", Decimal("100") * Decimal("0.15"), -Decimal("0"), abs(Decimal("-1.50")), Decimal("10") % 3, Decimal("-10") // 3, Decimal(2) ** 10, Decimal(2) ** -2, Decimal("9") ** 2)
