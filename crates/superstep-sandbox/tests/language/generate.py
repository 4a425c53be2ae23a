"""Writes a program of random expressions and statements for a seed: `python3 generate.py SEED`.

Every line prints what it gives, or the class of what it raises, so that two interpreters can be compared. What CPython
itself does not define (the order of sets, addresses, the hash of texts) does not occur.
"""
import random
import sys

R = random.Random(int(sys.argv[1]))
NAMES = ["a", "b", "c"]


def pick(*choices):
    return R.choice(choices)


def number(depth):
    if depth <= 0 or R.random() < 0.25:
        return pick(str(R.randint(-20, 20)), str(R.randint(-10**6, 10**6)), f"{R.uniform(-100, 100):.3f}", "0", "1", "True", "2.5",
                    "-0.0", "10**20", "1e16", str(R.randint(2**60, 2**70)), "0.1", "1e-7")
    a, b = number(depth - 1), number(depth - 1)
    return pick(
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"({a} // {b})", f"({a} % {b})", f"(-{a})", f"abs({a})",
        f"round({a}, {R.randint(-3, 5)})", f"round({a})", f"min({a}, {b})", f"max({a}, {b})", f"int({a})", f"float({a})",
        f"divmod({a}, {b})[{R.randint(0, 1)}]", f"({a} if {truth(depth - 1)} else {b})", f"len({text(depth - 1)})",
        f"len({items(depth - 1)})", f"sum([{whole(1)}, {whole(1)}])", f"({whole(depth - 1)} ** {R.randint(0, 4)})", whole(depth - 1),
        f"{text(depth - 1)}.count({text(0)})", f"{text(depth - 1)}.find({text(0)}, {R.randint(-3, 5)})", f"hash({number(0)})",
        f"int({text(0)})", f"float({text(0)})", f"int({pick(repr('12'), repr(' -7 '), repr('1_0'), repr('ff'))}, {pick(10, 16, 0)})")


def whole(depth):
    if depth <= 0 or R.random() < 0.3:
        return str(R.randint(-12, 30))
    a, b = whole(depth - 1), whole(depth - 1)
    return pick(f"({a} + {b})", f"({a} * {b})", f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"(~{a})", f"({a} << {R.randint(0, 9)})",
                f"({a} >> {R.randint(0, 5)})", f"({a} // {b})", f"({a} % {b})", f"pow({a}, {R.randint(0, 5)}, {R.randint(1, 30)})",
                f"({a}).bit_length()", f"ord({pick('a', 'Z', 'é')!r})", f"sum({numbers(depth - 1)})", f"len({numbers(depth - 1)})")


def text(depth):
    if depth <= 0 or R.random() < 0.25:
        return repr(pick("", "a", "Hello World", "  x y ", "a,b,,c", "line\nnext", "Ünï", "12", "3.5", "it's", "tab\tx", "aXbXa", "42 apples",
                         "ß", "ab" * 3, "x=1;y=2", "Zoë", "\x0b", "_id", "№5"))
    s, t = text(depth - 1), text(0)
    n = R.randint(-6, 12)
    return pick(
        f"({s} + {t})", f"({s} * {R.randint(-1, 3)})", f"{s}.upper()", f"{s}.lower()", f"{s}.title()", f"{s}.capitalize()",
        f"{s}.swapcase()", f"{s}.strip()", f"{s}.lstrip({t})", f"{s}.rstrip({t})", f"{s}.replace({t}, {text(0)})",
        f"{s}.replace({t}, {text(0)}, {R.randint(-1, 2)})", f"{s}[{n}:]", f"{s}[:{n}]", f"{s}[{n}:{R.randint(-6, 9)}:{pick(1, 2, -1, -2, 3)}]",
        f"{s}[{n}]", f"{s}.center({n + 8}, {pick('*', ' ', '-')!r})", f"{s}.ljust({n + 8})", f"{s}.rjust({n + 8}, '.')", f"{s}.zfill({n + 6})",
        f"str({value(depth - 1)})", f"repr({value(depth - 1)})", f"{t}.join({texts(depth - 1)})", f"{s}.expandtabs({R.randint(0, 9)})",
        f"{s}.partition({t})[{R.randint(0, 2)}]", f"{s}.removeprefix({t})", f"format({number(depth - 1)}, {spec()!r})",
        f"format({s}, {pick('>10', '<6', '^9', '.3', '*^8.2', '10', 's')!r})", f"('%s|%r' % ({s}, {value(0)}))",
        f"('%5.2f|%d|%x' % ({number(0)}, {whole(1)}, abs({whole(0)})))", "f'{" + number(0) + ":" + spec() + "}'", "f'{" + whole(0) + "!r:>6}|{" + number(0) + "}'",
        f"'{{}} {{!r:>8}}'.format({value(0)}, {t})", f"{s}.encode('utf-8').hex()", f"{s}.casefold()", f"ascii({s})",
        f"{s}.translate(str.maketrans('ab', 'xy', 'l'))", f"chr({R.randint(32, 300)})", f"bin({whole(0)})", f"hex({whole(0)})")


def spec():
    return pick("", "d", ",", ".2f", ",.2f", "+.1f", "08.3f", ">12", "<8", "^10", "e", ".3e", "g", ".4g", "%", ".1%", "x", "#x", "b", "#o",
                "_", "*^12", "=+9", " ", "010d", ".0f", "5", "+", ",.0f", "012,.1f", "-8.2f", "G", "n")


def truth(depth):
    if depth <= 0 or R.random() < 0.2:
        return pick("True", "False")
    a, b = value(depth - 1), value(depth - 1)
    return pick(
        f"({number(depth - 1)} {pick('<', '<=', '>', '>=', '==', '!=')} {number(depth - 1)})", f"({a} == {b})", f"({a} != {b})",
        f"({text(depth - 1)} {pick('<', '>=', '==', 'in', 'not in')} {text(depth - 1)})", f"(not {a})", f"bool({a})",
        f"({truth(depth - 1)} and {truth(depth - 1)})", f"({truth(depth - 1)} or {truth(depth - 1)})", f"({number(0)} in {numbers(depth - 1)})",
        f"isinstance({a}, {pick('int', 'str', 'float', '(int, str)', 'list', 'bool', 'int | None', 'dict')})",
        f"{text(depth - 1)}.{pick('isdigit', 'isalpha', 'isalnum', 'isspace', 'isupper', 'islower', 'istitle', 'isdecimal', 'isnumeric', 'isidentifier', 'isprintable', 'isascii')}()",
        f"{text(depth - 1)}.startswith({text(0)}, {R.randint(-2, 3)})", f"{text(depth - 1)}.endswith(({text(0)}, {text(0)}))",
        f"({number(0)} < {number(0)} <= {number(0)})", f"all({items(depth - 1)})", f"any({items(depth - 1)})",
        f"({numbers(0)} < {numbers(0)})", f"(set({numbers(0)}) <= set({numbers(0)}))", f"({mapping(depth - 1)} == {mapping(0)})",
        f"({mapping(0)}.items() == {mapping(0)}.items())", f"({a} is None)", f"({number(0)} is not None)")


def numbers(depth):
    if depth <= 0 or R.random() < 0.3:
        return "[" + ", ".join(str(R.randint(-9, 20)) for _ in range(R.randint(0, 5))) + "]"
    n = numbers(depth - 1)
    return pick(
        f"sorted({n}, reverse={truth(0)})", f"[x * 2 for x in {n}]", f"[x for x in {n} if x % {R.randint(1, 4)} == 0]", f"({n} + {n})",
        f"list(range({R.randint(-5, 5)}, {R.randint(-5, 15)}, {pick(1, 2, -1, 3, -4)}))", f"{n}[{R.randint(-4, 4)}:{R.randint(-4, 6)}]",
        f"{n}[::{pick(-1, 2, -2)}]", f"list(map(lambda v: v - 1, {n}))", f"list(filter(lambda v: v > 2, {n}))", f"({n} * {R.randint(0, 2)})",
        f"sorted(set({n}))", f"list(reversed({n}))", f"[x + y for x in {n} for y in {numbers(0)}]", f"[max({n}), *{n}]", f"sorted({n}, key=lambda v: (v % 3, -v))")


def texts(depth):
    if depth <= 0 or R.random() < 0.4:
        return "[" + ", ".join(text(0) for _ in range(R.randint(0, 4))) + "]"
    s = text(depth - 1)
    return pick(f"{s}.split()", f"{s}.split({pick(',', 'X', ' ', ';')!r})", f"{s}.split(None, {R.randint(0, 2)})", f"{s}.rsplit(None, {R.randint(0, 2)})",
                f"{s}.rsplit({pick(',', 'a', ' ')!r}, {R.randint(0, 2)})", f"{s}.splitlines({truth(0)})", f"list({s})", f"sorted({texts(0)})",
                f"[v.upper() for v in {texts(depth - 1)}]", f"list({s}.partition('X'))", f"sorted({texts(depth - 1)}, key=len)")


def mapping(depth):
    if depth <= 0 or R.random() < 0.4:
        return "{" + ", ".join(f"{pick(1, 2, 'a', 'b', True, 1.0, None)!r}: {value(0)}" for _ in range(R.randint(0, 4))) + "}"
    m = mapping(depth - 1)
    return pick(f"dict(zip('abc', {items(depth - 1)}))", f"({m} | {mapping(0)})", f"{{k: v for k, v in {m}.items()}}", f"{{**{m}, 'z': {value(0)}}}",
                f"{{x: x ** 2 for x in {numbers(0)}}}", f"dict.fromkeys({texts(0)}, {value(0)})", f"dict(sorted({{str(k): 1 for k in {m}}}.items()))")


def items(depth):
    if depth <= 0 or R.random() < 0.3:
        return "[" + ", ".join(value(0) for _ in range(R.randint(0, 4))) + "]"
    return pick(numbers(depth), texts(depth), f"list({mapping(depth - 1)})", f"list({mapping(depth - 1)}.values())", f"list({mapping(depth - 1)}.items())",
                f"list(enumerate({texts(depth - 1)}, {R.randint(0, 3)}))", f"list(zip({numbers(depth - 1)}, {texts(depth - 1)}))", f"list(tuple({items(depth - 1)}))",
                f"[{value(depth - 1)}, *{items(0)}]", f"({items(depth - 1)} + {items(0)})", f"sorted({items(0)}, key=str)")


def value(depth):
    if depth <= 0:
        return pick("None", number(0), text(0), "True", "()", "(1, 'a')", "[1, 2]", "{'k': 1}")
    return pick(number, text, truth, items, mapping)(depth)


def statements(at):
    """A function with loops, handlers and generators; it prints what happens on the way."""
    n, limit = f"f{at}", R.randint(2, 6)
    kind = R.randint(0, 6)
    if kind == 0:
        return f"""def {n}(a, b=2, *rest, c={whole(1)}, **more):
    out = []
    for i, v in enumerate([a, b, *rest, c]):
        try:
            if i == {R.randint(0, 3)}:
                continue
            out.append({number(0)} / (v - {R.randint(0, 3)}))
        except (ZeroDivisionError, TypeError) as error:
            out.append(type(error).__name__)
        else:
            out.append('else')
        finally:
            out.append(i)
            if i > {limit}: break
    else:
        out.append('whole')
    return out, sorted(more)
show(lambda: {n}({value(1)}, {value(0)}, {number(1)}, c={value(0)}, z={value(0)}))
show(lambda: {n}({value(0)}))"""
    if kind == 1:
        return f"""def {n}(limit):
    total = {whole(1)}
    try:
        for i in range(limit):
            got = yield total
            total += i if got is None else got
            if total > {R.randint(5, 60)}:
                return 'large'
    finally:
        print('closed', total)
def outer_{n}():
    result = yield from {n}({limit})
    yield result
show(lambda: list(outer_{n}()))
g = outer_{n}()
show(lambda: (next(g), g.send({R.randint(0, 40)})))
show(lambda: g.close())
show(lambda: list({n}({limit})))"""
    if kind == 2:
        return f"""class C{at}:
    kind = {value(0)}
    def __init__(self, v): self.v = v
    def __eq__(self, other): return isinstance(other, C{at}) and self.v == other.v
    def __hash__(self): return hash(type(self.v).__name__ == 'int')
    def __lt__(self, other): return str(self.v) < str(other.v)
    def __repr__(self): return f'C({{self.v!r}})'
    def __add__(self, other): return C{at}([self.v, other])
    def __radd__(self, other): return C{at}([other, self.v])
    def __len__(self): return {R.randint(0, 2)}
    def __getitem__(self, i): return (self.v, i)
    def __contains__(self, x): return x == self.v
    @property
    def double(self): return self.v * 2
    @classmethod
    def make(cls, *args): return [cls(a) for a in args]
class D{at}(C{at}):
    def __repr__(self): return 'D' + super().__repr__()
    def __getattr__(self, name): return name[::-1]
x, y = C{at}({value(1)}), D{at}({value(0)})
show(lambda: (x, y, x == y, x + 1, 1 + y, bool(x), x[{R.randint(0, 3)}:], {value(0)} in x))
show(lambda: (y.double, y.kind, y.nothing, sorted([x, y]), len({{x, y, C{at}(x.v)}})))
show(lambda: D{at}.make(1, 'a'))"""
    if kind == 3:
        return f"""def {n}(v):
    match v:
        case None | True: return 'constant'
        case int(k) if k > {R.randint(-3, 9)}: return ('int', k)
        case float() | int(): return 'number'
        case '': return 'empty'
        case str(s): return s[:3]
        case []: return 'none'
        case [x]: return ('one', x)
        case (x, *rest) if len(rest) < 3: return (x, rest)
        case {{'k': k, **rest}}: return ('k', k, rest)
        case {{}}: return 'dict'
        case _: return 'other'
for v in [{', '.join(value(1) for _ in range(5))}]:
    show(lambda: {n}(v))"""
    if kind == 4:
        return f"""def {n}():
    log = []
    class Ctx:
        def __init__(self, name, hides): self.name, self.hides = name, hides
        def __enter__(self): log.append('+' + self.name); return self
        def __exit__(self, kind, error, trace):
            log.append('-' + self.name + (kind.__name__ if kind else ''))
            return self.hides
    for i in range({limit}):
        with Ctx('a', {truth(0)}), Ctx('b', {truth(0)}) as c:
            if i == {R.randint(0, 3)}: continue
            if i == {R.randint(1, 4)}: break
            log.append({value(1)})
            {pick("raise ValueError('v')", "1 / 0", "[][i]", "pass")}
    return log
show({n})"""
    if kind == 5:
        return f"""def make_{n}(start):
    seen = []
    def inner(step={whole(0)}):
        nonlocal start
        start += step
        seen.append(start)
        return [f() for f in [lambda k=k: k * start for k in range({R.randint(0, 3)})]]
    return inner, seen
inner, seen = make_{n}({whole(1)})
show(lambda: (inner(), inner({number(1)}), seen))
show(lambda: [(lambda *a, **k: (a, sorted(k)))(*{numbers(1)}, **{{'q': {value(0)}}}), (y := {number(1)}), y])"""
    return f"""a, *b = {items(1)} or [0]
c = d = {items(1)}
c += {items(0)}
show(lambda: (a, b, c, d is c))
e = {numbers(1)} + [1, 2, 3]
e[{R.randint(0, 2)}:{R.randint(1, 4)}] = {numbers(0)}
del e[{R.randint(-1, 0)}]
e.insert({R.randint(-3, 3)}, {value(0)})
show(lambda: (e, e.pop({R.randint(-2, 2)}), e, e.index({R.randint(0, 9)})))
h = {mapping(1)}
h.update({mapping(0)})
h.setdefault({value(0)}, []); h.pop({value(0)}, None)
show(lambda: (h, list(h), h.get({value(0)}), {value(0)} in h, len(h)))"""


print("def show(make):\n    try:\n        print(repr(make()))\n    except Exception as error:\n        print(type(error).__name__)\n")
for at in range(30):
    print(f"show(lambda: {value(R.randint(1, 4))})")
    print(f"show(lambda: {value(R.randint(1, 3))})")
    print(f"try:\n" + "\n".join("    " + line for line in statements(at).splitlines()) + "\nexcept Exception as error:\n    print(type(error).__name__)")
