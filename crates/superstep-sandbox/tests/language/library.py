# -- contextlib
from contextlib import contextmanager, suppress, closing, nullcontext, ExitStack
@contextmanager
def tag(n):
    print("<", n)
    try:
        yield n.upper()
    except ValueError as e:
        print("handled", e)
    finally:
        print(">", n)
with tag("a") as x: print(x)
with tag("b"): raise ValueError("v")
try:
    with tag("c"): raise KeyError("k")
except KeyError as e: print("out", e)
@tag("deco")
def f(): return 5
print(f(), f())
with suppress(ZeroDivisionError, KeyError): 1 / 0
print("after")
with nullcontext(3) as n: print(n)
with ExitStack() as st:
    st.enter_context(tag("s1")); st.callback(print, "cb", 1); st.enter_context(tag("s2"))
class R:
    def close(self): print("closed")
with closing(R()): pass
# -- bisect heapq
import bisect, heapq
a = [1, 3, 3, 5]
print(bisect.bisect(a, 3), bisect.bisect_left(a, 3), bisect.bisect_right(a, 0)); bisect.insort(a, 4); print(a)
print(["F", "D", "C", "B", "A"][bisect.bisect([60, 70, 80, 90], 85)], bisect.bisect_left([{"v": 1}, {"v": 5}], 3, key=lambda r: r["v"]))
h = [5, 1, 8, 3]; heapq.heapify(h); print(h, heapq.heappop(h), h); heapq.heappush(h, 0); print(h, heapq.nlargest(2, [4, 9, 1]), heapq.nsmallest(2, ["bb", "a"], key=len), heapq.heappushpop(h, 2), heapq.heapreplace(h, 7), h, list(heapq.merge([1, 4], [2, 3])))
pq = []
for item in [(2, "b"), (1, "a"), (3, "c")]: heapq.heappush(pq, item)
print([heapq.heappop(pq)[1] for _ in range(3)])
# -- csv
import csv, io
b = io.StringIO(); w = csv.writer(b); w.writerow(["a", 1, 2.5, None, True]); w.writerow(['q"x', "c,d", "line\nbreak", ""]); w.writerows([[1], [""], []])
print(repr(b.getvalue()))
print(list(csv.reader(io.StringIO('a,b\n"x, y","q""z"\n\n1,\n'))), list(csv.reader(["a;b;'c;d'"], delimiter=";", quotechar="'")), list(csv.reader(io.StringIO('"multi\nline",2\r\n'))))
for r in csv.DictReader(io.StringIO("name,qty\nA,1\nB,2,3\nC\n")): print(r)
b = io.StringIO(); d = csv.DictWriter(b, fieldnames=["x", "y"], lineterminator="\n"); d.writeheader(); d.writerow({"x": 1, "y": "z"}); d.writerow({"x": 5}); print(b.getvalue())
try: d.writerow({"q": 1})
except ValueError as e: print(e)
b = io.StringIO(); csv.writer(b, quoting=csv.QUOTE_ALL, delimiter="\t").writerow([1, "a"]); csv.writer(b, quoting=csv.QUOTE_NONNUMERIC).writerow([1, "a", 2.5]); csv.writer(b, quoting=csv.QUOTE_NONE, escapechar="\\").writerow(["a,b"]); print(repr(b.getvalue()))
print(next(csv.reader(["1,2"], quoting=csv.QUOTE_NONNUMERIC)), list(csv.reader([" a, b"], skipinitialspace=True)), list(csv.reader(['a"b,c', '"a"b,c'])))
# -- stringio
import io
s = io.StringIO("a\nb\nc"); print(s.readline(), s.read(), s.seek(0), s.readlines(), [l for l in io.StringIO("x\ny")], s.tell())
o = io.StringIO(); o.write("abc"); o.seek(1); o.write("X"); print(o.getvalue(), io.BytesIO(b"ab").read(1)); print("z", file=o, end=""); print(o.getvalue())
with io.StringIO() as f: f.writelines(["a", "b"]); print(f.getvalue())
try: f.read()
except ValueError as e: print(e)
# -- textwrap
import textwrap
t = "The quick brown fox jumped over the lazy dog, well-known for its long-lasting patience and extraordinarily-long-words."
print(textwrap.wrap(t, 20), textwrap.fill(t, 30, initial_indent="* ", subsequent_indent="  "), textwrap.shorten(t, 30), textwrap.shorten("a b", 10, placeholder="..."), repr(textwrap.dedent("    a\n      b\n\n    c")), repr(textwrap.indent("a\n\nb", "> ")), textwrap.wrap("x" * 25, 10), textwrap.wrap("", 5), textwrap.wrap("a  b\tc\nd", 4), textwrap.wrap("abc defghijkl", 5, break_long_words=False), sep="\n")
# -- fractions
from fractions import Fraction as F
print(F(1, 3) + F(1, 6), F("3/4") * 2, F(0.5), F("0.125"), 1 - F(1, 4), F(7, 2) // 1, F(7, 2) % 1, F(1, 2) < F(2, 3), float(F(1, 8)), round(F(7, 2)), F(22, 7).limit_denominator(5), F(3.14159).limit_denominator(100), repr(F(-3, 6)), F(1, 2) == 0.5, {F(1, 1): "a"}[1], sum([F(1, 3)] * 3), F(2) ** -2, abs(F(-1, 2)), int(F(-7, 2)), F(1, 2) + 0.5, divmod(F(7, 2), 2), max(F(1, 3), F(1, 2)), F("1e-2"))
# -- numbers
import numbers
print(isinstance(1, numbers.Number), isinstance(1.5, numbers.Real), isinstance("a", numbers.Number), isinstance(True, numbers.Integral), isinstance(1.5, numbers.Integral))
# -- pprint
from pprint import pprint, pformat
pprint({"b": 1, "a": [1, 2]}); pprint(list(range(40))); pprint({"key%d" % i: {"name": "n" * 20, "values": [i] * 5} for i in range(3)}); print(pformat({"x": ("a",)})); pprint({"b": 1, "a": 2}, sort_dicts=False); pprint([{"id": i, "text": "word " * 10} for i in range(2)], width=40); pprint("abc"); pprint((1, 2)); pprint({1, 2}); pprint([[1, 2, 3]] * 12)
# -- paths
import os, os.path
from pathlib import Path, PurePath, PurePosixPath
print(os.path.join("a", "b", "c.txt"), os.path.basename("/x/y.xlsx"), os.path.splitext("a/b.tar.gz"), os.path.dirname("/x/y"), os.path.split("a/b/"), os.path.normpath("a/../b//c/."), os.path.isabs("/a"), os.path.splitext(".bashrc"), os.sep)
p = PurePosixPath("data/reports/sales.2024.xlsx")
print(p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p / "x", p.with_suffix(".csv"), p.with_name("y.z"), p.is_absolute(), [str(x) for x in p.parents], PurePosixPath("/a/b").relative_to("/a"), repr(p), p == PurePosixPath("data") / "reports" / "sales.2024.xlsx", PurePosixPath("a") < PurePosixPath("b"), str(Path("out") / "f.txt"), f"{Path('x.y').stem}", p.as_posix(), PurePosixPath("/a/b").is_relative_to("/a"))
# -- unicodedata
import unicodedata
print(unicodedata.normalize("NFKD", "Crème Brûlée ﬁ").encode("ascii", "ignore").decode(), "".join(c for c in unicodedata.normalize("NFD", "Ünïcödé") if unicodedata.category(c) != "Mn"), unicodedata.category("A"), unicodedata.category("1"), unicodedata.category(" "), unicodedata.combining("\u0301"), len(unicodedata.normalize("NFC", "e\u0301")))
# -- random
import random
random.seed(42); print(random.random(), random.randint(1, 100), random.choice("abcdef"), random.sample(range(100), 5), random.uniform(1, 10), random.choices([1, 2, 3], k=4), random.choices("ab", weights=[3, 1], k=5), random.gauss(0, 1), random.gauss(0, 1), random.randrange(0, 100, 5), random.triangular(0, 10, 3), random.normalvariate(0, 1), random.expovariate(2), random.getrandbits(40))
l = list(range(10)); random.shuffle(l); print(l); r = random.Random(7); print(r.random(), r.randint(0, 9), random.Random(7).random() == random.Random(7).random(), random.Random(2**70).random(), random.Random(-5).random(), random.Random(1.5).random(), random.sample(range(1000), 30)[:5], random.lognormvariate(0, 1))
# -- json
import json
d = {"a": [1, 2.5, None, True], "b": {"c": "é\n\"x\""}, "n": -0.0, "big": 10**20, "t": (1, 2), 3: "k", None: 1, True: 2}
print(json.dumps(d), json.dumps(d, ensure_ascii=False), json.dumps([], indent=2), json.dumps({"b": 1, "a": [1, {"x": {}}]}, indent=2, sort_keys=True), json.dumps("😀"), json.dumps([1, 2], separators=(",", ":")), json.dumps({1: 2}, indent="\t"), json.dumps(float("nan")), json.dumps(1e100), json.dumps("\x7f\u2028"), sep="\n")
print(json.loads('{"a": [1, 2.0, "x\\u00e9\\n", null, true], "b": {}}'), json.loads(" 5 "), json.loads('"\\ud83d\\ude00"'), json.loads("[1e3, -0, 1E-2]"), json.loads(b'{"x": 1}'))
for s in ("{", "[1,]", "{'a': 1}", "nul", "", "[1 2]", '"abc', "01", "1.", '{"a" 1}', "[1] x", '{"a":1,}', '"\t"'):
    try: print(json.loads(s))
    except json.JSONDecodeError as e: print(e)
try: json.dumps({1, 2})
except TypeError as e: print(e)
try: json.dumps({(1,): 2})
except TypeError as e: print(e)
from datetime import date
print(json.dumps({"d": date(2024, 1, 1)}, default=str), json.loads("[1.5]", parse_float=str), json.loads('{"a": 1}', object_hook=lambda d: list(d)))
# -- json files
import json, io
f = io.StringIO(); json.dump({"a": 1}, f); print(f.getvalue(), json.load(io.StringIO("[1]")))
# -- re
import re
print(re.findall(r"\d+", "a1b22"), re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world"), re.split(r"[,;]\s*", "a, b;c"), re.match(r"(?P<y>\d{4})-(?P<m>\d\d)", "2024-05x").groupdict(), re.search("b+", "abbbc").span(), re.fullmatch("a+", "aaa") is not None, re.sub("a", lambda m: m.group().upper(), "banana", count=2), re.compile("x", re.I).search("aX").start(), re.findall(r"(a)(b)?", "abaa"), re.split(r"(-)", "a-b-c", maxsplit=1), re.escape("a.b*c"), re.sub(r"\s+", " ", "a \n b"), re.findall(r"^\w", "a\nb", re.M), bool(re.match(r".*", "a\nb", re.S)), re.subn("a", "b", "aaa"), [m.group(1) for m in re.finditer(r"<(\w+)>", "<a><b>")], re.sub(r"(?P<x>a)", r"[\g<x>]", "cat"), re.search(r"(\d+)(?:px)?$", "12px").groups(), re.match("a", "b"), re.sub("", "-", "abc"), re.findall(r"\b\w", "hi there"), re.sub(r"(\d)(?=(\d{3})+$)", r"\1,", "1234567"), re.findall("(?i)A", "aA"), re.search(r"(?<=\$)\d+", "cost $45").group(), re.match(r"(a)(b)", "ab").group(1, 2), re.match("(?P<n>a)", "a")["n"], re.search("x", "axb").string, re.match(r"(\w)\1", "aab").group(), re.split(r"\W+", "a, b. c"), re.findall(r"[A-Z]{2,}", "ABc DEF"), re.sub(r"[^\w\s-]", "", "a!b-c d"), re.search("$", "a\n").start(), re.findall(".", "a\nb"))
print(re.search("(a)|(b)", "b").lastindex, re.match("ab", "abc"), re.compile(r"(\d+)").pattern, re.compile("a").findall("banana", 2), re.search(r"a{2,3}?", "aaa").group(), re.findall(r"(?:ab)+", "ababab"), re.match("a(b)?c", "ac").groups("-"), re.sub(r"\.", "", "a.b.c"), re.sub("x", r"\\", "axb"), re.findall(r"\w+@\w+\.com", "me@x.com you@y.com"), re.IGNORECASE == re.I, re.sub("(?m)^", "> ", "a\nb"), re.split("x", ""), re.match(r"\s*#", "  # c") is not None, re.search("é", "café").start())
try: re.compile("(")
except re.error as e: print("re.error")
# -- statistics
import statistics as st
print(st.mean([1, 2, 3, 4]), st.mean([1.5, 2.5]), st.median([3, 1, 2]), st.median([1, 2, 3, 4]), st.stdev([1, 2, 3, 4]), st.pstdev([1, 2, 3]), st.variance([2.5, 3.5, 1.5]), st.mode("aab"), st.multimode([1, 1, 2, 2]), st.quantiles([1, 2, 3, 4, 5]), st.quantiles(range(11), n=10, method="inclusive"), st.fmean([1, 2]), st.harmonic_mean([40, 60]), st.geometric_mean([1, 10, 100]), st.pvariance([1, 2, 3, 4]), st.mean([1, 2]), st.median_low([1, 2]), st.median_high([1, 2]), st.correlation([1, 2, 3], [1, 2, 4]), st.stdev([10, 20, 30.5]), st.variance([1, 2, 3, 4]))
try: st.mean([])
except st.StatisticsError as e: print(e)
# -- decimal
from decimal import Decimal as D, ROUND_HALF_UP, ROUND_DOWN, ROUND_UP, ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR, getcontext, localcontext, InvalidOperation
print(D("1.10") + D("2.205"), D("10") / D("3"), D("2.675").quantize(D("0.01"), ROUND_HALF_UP), D("2.665").quantize(D("0.01")), D("-2.5").quantize(D("1"), rounding=ROUND_HALF_EVEN), D("1.1") * D("1.1"), D(1) / 8, D("100").normalize(), D("1E+3"), D("0.000001"), D("0.0000001"), D("1.50") == D("1.5"), D(5) % 3, D("-7") // 2, D("7") % D("-3"), int(D("3.9")), float(D("0.1")), round(D("2.675"), 2), round(D("2.5")), abs(D("-1")), max(D("1"), D("2")), sum([D("0.1")] * 3), repr(D("1.0")), f"{D('1234.5'):,.2f}", f"{D('0.125'):.1%}", D("1.23e5"), D(0.1), D("2") ** 3, D("2").sqrt(), D("1.999").quantize(D("0.1"), ROUND_DOWN), D("1.01").quantize(D("0.1"), ROUND_UP), D("3") > 2.5, D("3") + 1, str(D("-0")), D("1e2").to_integral_value(), D("12.50").as_tuple(), D("1").is_zero() if True else "", D("12345.678").quantize(D("1e1")), {D("1"): "x"}[1], D("1") == 1.0, D("0.1") == 0.1, D("-1.5").copy_abs(), D("1.5").to_integral_value(), D("Infinity") > 1)
for f in (lambda: D("abc"), lambda: D(1) / 0, lambda: D("1") + 1.5):
    try: print(f())
    except Exception as e: print(type(e).__name__)
# -- itertools
import itertools as it
print(list(it.accumulate([1, 2, 3])), list(it.accumulate([3, 1, 2], max)), list(it.chain([1], "a")), list(it.chain.from_iterable([[1], [2]])), list(it.combinations("abc", 2)), list(it.permutations([1, 2, 3], 2)), list(it.product("ab", [1, 2])), list(it.product([0, 1], repeat=2)), [(k, list(g)) for k, g in it.groupby("aabbc")], list(it.islice(it.count(5, 2), 3)), list(it.islice("abcdef", 1, 5, 2)), list(it.zip_longest([1, 2], "a", fillvalue="-")), list(it.takewhile(lambda x: x < 3, [1, 2, 5, 1])), list(it.dropwhile(lambda x: x < 3, [1, 5, 1])), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.repeat("x", 2)), list(it.compress("abc", [1, 0, 1])), list(it.pairwise([1, 2, 3])), list(it.filterfalse(lambda x: x % 2, range(4))), list(it.combinations_with_replacement("ab", 2)), [list(t) for t in it.tee([1, 2])], list(it.islice(it.cycle("ab"), 5)), list(it.accumulate([1, 2], initial=10)))
g = it.groupby([1, 1, 2, 3, 3]); print([k for k, _ in g])
a = it.count(); print(next(a), next(a)); c = it.cycle([1, 2]); print(next(c), next(c), next(c))
# -- functools
from functools import reduce, partial, lru_cache, wraps, cached_property, total_ordering, cmp_to_key, singledispatch, cache
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), partial(int, base=2)("101"), partial(pow, 2)(5), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), fib.cache_info(), fib.__name__)
def deco(f):
    @wraps(f)
    def w(*a, **k):
        "wrapper"
        return f(*a, **k)
    return w
@deco
def hello(x):
    "doc"
    return x
print(hello.__name__, hello.__doc__, hello(1), hello.__wrapped__(2))
class C:
    @cached_property
    def v(self): print("once"); return 9
c = C(); print(c.v, c.v, c.__dict__)
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
print(V(1) <= V(2), V(2) > V(1), V(1) >= V(1), max(V(3), V(1)).n)
@singledispatch
def show(x): return f"obj {x}"
@show.register(int)
def _(x): return f"int {x}"
@show.register(list)
def _(x): return f"list {len(x)}"
print(show(5), show([1]), show("s"), show(True))
# -- collections
from collections import defaultdict, OrderedDict, deque, namedtuple, ChainMap, Counter
d = defaultdict(list); d["a"].append(1); d["b"]; print(d, dict(d), d.get("z"), "z" in d, len(d)); n = defaultdict(lambda: defaultdict(int)); n["x"]["y"] += 1; print({k: dict(v) for k, v in n.items()}, defaultdict(int, a=1)["q"])
o = OrderedDict([("a", 1), ("b", 2)]); o.move_to_end("a"); print(o, list(o), o.popitem(last=False), o == {"a": 1}, OrderedDict(a=1) == OrderedDict(a=1))
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); print(q, q[0], q[-1], len(q), 2 in q, list(reversed(q)), q.count(2)); q.rotate(1); print(q, deque("abc"), q.pop(), q.popleft(), q == deque([3]) , deque([1]) + deque([2])); q.extend([7, 8, 9]); q.extendleft([5]); print(q); q.clear(); print(q, bool(q))
P = namedtuple("P", "x y"); p = P(1, y=2); print(p, p.x, p[1], p._asdict(), p._replace(x=5), P._make([3, 4]), P._fields, p == (1, 2), isinstance(p, tuple), *p, p + (3,), hash(p) == hash((1, 2)), sorted([P(2, 1), P(1, 5)])); E = namedtuple("E", ["a", "b"], defaults=[7]); print(E(1), E._field_defaults, len(E(1)), P.__name__, type(p))
try: P(1)
except TypeError as e: print("TypeError")
try: p.x = 5
except AttributeError as e: print("AttributeError")
c = ChainMap({"a": 1}, {"a": 2, "b": 3}); print(c["a"], c["b"], dict(c), sorted(c), len(c), c.get("z", 0), "b" in c)
# -- dataclass
from dataclasses import dataclass, field, asdict, astuple, replace, fields, FrozenInstanceError
from typing import ClassVar, Optional
@dataclass(order=True)
class Item:
    name: str
    qty: int = 1
    tags: list = field(default_factory=list, compare=False)
    total: ClassVar[int] = 0
    secret: str = field(default="s", repr=False)
    def cost(self): return self.qty * 2
a, b = Item("a"), Item("b", 5, ["t"]); print(a, b, a == Item("a"), a < b, a.cost(), asdict(b), astuple(a), replace(a, qty=9), [f.name for f in fields(a)], sorted([b, a])[0].name, a.tags is b.tags)
@dataclass(frozen=True)
class Pt:
    x: float
    y: float = 0.0
    def __post_init__(self):
        if self.x < 0: raise ValueError("neg")
p = Pt(1.5); print(p, {p: 1}[Pt(1.5)], hash(p) == hash(Pt(1.5)))
try: p.x = 2
except FrozenInstanceError as e: print(type(e).__name__, e)
try: Pt(-1)
except ValueError as e: print(e)
for bad in (lambda: Pt(), lambda: Pt(1, 2, 3), lambda: Pt(z=1)):
    try: bad()
    except TypeError as e: print(e)
@dataclass
class Base:
    a: int
@dataclass
class Sub(Base):
    b: int = 2
    items: dict = field(default_factory=dict)
print(Sub(1), Sub(1, 3) == Sub(1, 3), Sub(1).items)
try: {a: 1}
except TypeError as e: print(e)
@dataclass(kw_only=True)
class K:
    a: int
    b: int = 1
print(K(a=1))
try:
    @dataclass
    class Bad:
        x: list = []
except ValueError as e: print(e)
# -- math
import math
print(math.sqrt(2), math.pi, math.floor(-1.5), math.ceil(1.2), math.gcd(12, 18), math.lcm(4, 6), math.factorial(20), math.comb(5, 2), math.perm(5, 2), math.log(8, 2), math.log10(1000), math.log2(8), math.exp(1), math.pow(2, 3), math.isclose(0.1 + 0.2, 0.3), math.hypot(3, 4), math.inf, math.nan, math.isnan(math.nan), math.trunc(-1.7), math.fabs(-2), math.fmod(-7, 3), math.modf(2.5), math.copysign(1, -0.0), math.degrees(math.pi), math.radians(180), math.sin(1), math.cos(1), math.atan2(1, 2), math.prod([1, 2, 3]), math.fsum([0.1] * 10), math.isqrt(17), math.cbrt(27) if False else 0, math.tau, math.e, math.dist([0, 0], [3, 4]), math.isfinite(1.0), math.isinf(math.inf), math.frexp(8.0), math.ldexp(0.5, 4), math.tanh(0.5), math.remainder(7, 3), math.ulp(1.0))
for f in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.factorial(-1), lambda: math.exp(1000), lambda: math.ceil(math.inf)):
    try: print(f())
    except (ValueError, OverflowError) as e: print(type(e).__name__, e)
# -- string
import string
print(string.ascii_lowercase[:3], string.digits, string.punctuation, string.Template("$a ${b} $$").substitute(a=1, b=2), string.Template("$a $b").safe_substitute(a=1), string.capwords("hello wORLD"))
try: string.Template("$x").substitute()
except KeyError as e: print(e)
# -- copy
import copy
a = [[1], {"k": [2]}]; b = copy.copy(a); c = copy.deepcopy(a); a[0].append(9); print(b, c); class_ = type("T", (), {}); t = class_(); t.v = [1]; u = copy.deepcopy(t); u.v.append(2); print(t.v, u.v)
# -- operator
from operator import itemgetter, attrgetter, methodcaller, add, mul, neg, truediv
import operator
print(sorted([{"a": 2}, {"a": 1}], key=itemgetter("a")), itemgetter(1, 0)("xy"), attrgetter("real")(5), methodcaller("upper")("a"), add(1, 2), operator.xor(5, 1), operator.concat([1], [2]), operator.countOf([1, 1], 1), operator.indexOf([5, 6], 6), operator.is_not(1, None), operator.lshift(1, 3), operator.abs(-1) , operator.index(5), operator.truth([]), operator.iadd([1], [2]))
# -- calendar
import calendar
print(calendar.monthrange(2024, 2), calendar.month_name[3], calendar.day_name[0], calendar.isleap(2000), calendar.month_abbr[12], list(calendar.month_abbr)[:3], calendar.weekday(2024, 1, 1), calendar.monthcalendar(2024, 2), calendar.leapdays(2000, 2024), calendar.MONDAY)
# -- typing
from typing import List, Dict, Optional, Union, Any, Callable, Generic, TypeVar, Protocol, Literal, Iterable
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None: self.items: List[T] = []
    def push(self, x: T) -> "Stack[T]": self.items.append(x); return self
s: "Stack[int]" = Stack(); print(s.push(1).items, Stack[int]().items)
class Greets(Protocol):
    def hi(self) -> str: ...
def f(x: Union[int, str], *, y: Optional[Dict[str, Any]] = None) -> Callable[[int], Literal["a"]]: return x
print(f(1))
x: list[int] = [1]; y: dict[str, list[int]] = {}; print(x, y)
# -- zoneinfo and time
from zoneinfo import ZoneInfo
from datetime import datetime
print(datetime(2024, 1, 1, tzinfo=ZoneInfo("UTC")), ZoneInfo("UTC"))
import time
print(time.strftime("%Y-%m-%d", time.gmtime(0)), time.gmtime(86400).tm_mday, isinstance(time.time(), float))
# -- namespace
from types import SimpleNamespace
n = SimpleNamespace(a=1, b="x"); n.c = 3; print(n, n.a, n == SimpleNamespace(a=1, b="x", c=3), vars(n))
