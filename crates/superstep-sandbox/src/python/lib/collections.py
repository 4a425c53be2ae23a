class OrderedDict(dict):
    def move_to_end(self, key, last=True):
        value = self.pop(key)
        if last:
            self[key] = value
        else:
            rest = list(self.items())
            self.clear()
            self[key] = value
            self.update(rest)

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        key = list(self.keys())[-1 if last else 0]
        return (key, self.pop(key))

    def copy(self):
        return OrderedDict(self)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(self.items()) == list(other.items())
        return dict(self) == other

    def __or__(self, other):
        return OrderedDict({**self, **other})

    def __repr__(self):
        return "OrderedDict(" + (repr(list(self.items())) if self else "") + ")"


class defaultdict(dict):
    def __init__(self, default_factory=None, *args, **kwargs):
        self.default_factory = default_factory
        self.update(*args, **kwargs)

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self[key] = value
        return value

    def copy(self):
        return defaultdict(self.default_factory, self)

    def __or__(self, other):
        return defaultdict(self.default_factory, {**self, **other})

    def __repr__(self):
        return "defaultdict(" + repr(self.default_factory) + ", " + repr(dict(self)) + ")"


class Counter(dict):
    def __init__(self, source=None, **kwargs):
        self.update(source, **kwargs)

    def __missing__(self, key):
        return 0

    def update(self, source=None, **kwargs):
        if source is not None:
            if hasattr(source, "items"):
                for key, count in source.items():
                    self[key] = self.get(key, 0) + count
            else:
                for key in source:
                    self[key] = self.get(key, 0) + 1
        for key, count in kwargs.items():
            self[key] = self.get(key, 0) + count

    def subtract(self, source):
        pairs = source.items() if hasattr(source, "items") else [(key, 1) for key in source]
        for key, count in pairs:
            self[key] = self.get(key, 0) - count

    def most_common(self, n=None):
        items = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return items if n is None else items[:n]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def total(self):
        return sum(self.values())

    def copy(self):
        return Counter(self)

    @classmethod
    def fromkeys(cls, iterable, v=None):
        raise NotImplementedError("Counter.fromkeys() is undefined.  Use Counter(iterable) instead.")

    def _with(self, other, count):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key in list(self) + [key for key in other if key not in self]:
            number = count(self[key], other[key])
            if number > 0:
                result[key] = number
        return result

    def __add__(self, other): return self._with(other, lambda one, two: one + two)
    def __sub__(self, other): return self._with(other, lambda one, two: one - two)
    def __or__(self, other): return self._with(other, max)
    def __and__(self, other): return self._with(other, min)
    def __pos__(self): return self + Counter()
    def __neg__(self): return Counter() - self

    def _keep(self, other):
        kept = dict(other)
        self.clear()
        for key, count in kept.items():
            self[key] = count
        return self

    def __iadd__(self, other): return self._keep(self + other)
    def __isub__(self, other): return self._keep(self - other)
    def __ior__(self, other): return self._keep(self | other)
    def __iand__(self, other): return self._keep(self & other)

    def _every(self, other, holds):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(holds(self[key], other[key]) for each in (self, other) for key in each)

    def __eq__(self, other): return self._every(other, lambda one, two: one == two)
    def __le__(self, other): return self._every(other, lambda one, two: one <= two)
    def __ge__(self, other): return self._every(other, lambda one, two: one >= two)
    def __lt__(self, other): return self <= other and self != other
    def __gt__(self, other): return self >= other and self != other

    def __repr__(self):
        if not self:
            return "Counter()"
        try:
            return "Counter(" + repr(dict(self.most_common())) + ")"
        except TypeError:
            return "Counter(" + repr(dict(self)) + ")"


class deque:
    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._items = []
        self.maxlen = maxlen
        self.extend(iterable)

    def append(self, x):
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, x):
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def pop(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop()

    def popleft(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop(0)

    def extend(self, iterable):
        for item in list(iterable):
            self.append(item)

    def extendleft(self, iterable):
        for item in list(iterable):
            self.appendleft(item)

    def insert(self, i, x):
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self._items.insert(i, x)

    def remove(self, value):
        if value not in self._items:
            raise ValueError("deque.remove(x): x not in deque")
        self._items.remove(value)

    def rotate(self, n=1):
        if self._items:
            n = n % len(self._items)
            self._items[:] = self._items[-n:] + self._items[:-n] if n else self._items

    def index(self, x, *bounds): return self._items.index(x, *bounds)
    def count(self, x): return self._items.count(x)
    def reverse(self): self._items.reverse()
    def clear(self): self._items.clear()
    def copy(self): return deque(self._items, self.maxlen)
    __copy__ = copy
    def __len__(self): return len(self._items)
    def __iter__(self): return iter(self._items)
    def __reversed__(self): return reversed(self._items)
    def __contains__(self, item): return item in self._items
    def __bool__(self): return bool(self._items)

    def _place(self, index):
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if not -len(self._items) <= index < len(self._items):
            raise IndexError("deque index out of range")
        return index

    def __getitem__(self, index): return self._items[self._place(index)]
    def __setitem__(self, index, value): self._items[self._place(index)] = value
    def __delitem__(self, index): del self._items[self._place(index)]
    def __add__(self, other): return deque(self._items + other._items, self.maxlen) if isinstance(other, deque) else NotImplemented
    def __mul__(self, n): return deque(self._items * n, self.maxlen)

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __eq__(self, other): return self._items == other._items if isinstance(other, deque) else NotImplemented
    def __lt__(self, other): return self._items < other._items if isinstance(other, deque) else NotImplemented
    def __gt__(self, other): return self._items > other._items if isinstance(other, deque) else NotImplemented

    def __repr__(self):
        return f"deque({self._items!r}" + (")" if self.maxlen is None else f", maxlen={self.maxlen})")


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for each in self.maps:
            if key in each:
                return each[key]
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def _joined(self):
        joined = {}
        for each in reversed(self.maps):
            joined.update(each)
        return joined

    def __contains__(self, key): return any(key in each for each in self.maps)
    def __setitem__(self, key, value): self.maps[0][key] = value
    def __len__(self): return len(self._joined())
    def __iter__(self): return iter(self._joined())
    def keys(self): return self._joined().keys()
    def values(self): return self._joined().values()
    def items(self): return self._joined().items()
    def new_child(self, m=None): return ChainMap({} if m is None else m, *self.maps)

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    @property
    def parents(self): return ChainMap(*self.maps[1:])

    def __eq__(self, other): return self._joined() == (other._joined() if isinstance(other, ChainMap) else other)
    def __repr__(self): return f"ChainMap({', '.join(map(repr, self.maps))})"


def namedtuple(typename, field_names, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    fields = tuple(field_names)
    for at, name in enumerate(fields):
        if rename and (not name.isidentifier() or name.startswith("_") or name in fields[:at]):
            fields = fields[:at] + (f"_{at}",) + fields[at + 1:]
        elif not name.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        elif name.startswith("_"):
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        elif name in fields[:at]:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
    defaults = tuple(defaults or ())

    def __new__(cls, *args, **kwargs):
        values = list(args)
        if len(values) > len(fields):
            raise TypeError(f"{typename}() takes {len(fields)} arguments but {len(values)} were given")
        for at in range(len(values), len(fields)):
            name = fields[at]
            if name in kwargs:
                values.append(kwargs.pop(name))
            elif at >= len(fields) - len(defaults):
                values.append(defaults[at - len(fields)])
            else:
                raise TypeError(f"{typename}() missing required argument: '{name}'")
        if kwargs:
            raise TypeError(f"{typename}() got an unexpected keyword argument '{list(kwargs)[0]}'")
        return tuple.__new__(cls, values)

    def __repr__(self):
        return type(self).__name__ + "(" + ", ".join(f"{name}={self[at]!r}" for at, name in enumerate(fields)) + ")"

    def _asdict(self):
        return {name: self[at] for at, name in enumerate(fields)}

    def _replace(self, **kwargs):
        values = self._asdict()
        unknown = [name for name in kwargs if name not in fields]
        if unknown:
            raise ValueError(f"Got unexpected field names: {unknown!r}")
        values.update(kwargs)
        return type(self)(**values)

    def getter(at):
        return property(lambda self: self[at])

    names = {
        "__new__": __new__, "__repr__": __repr__, "_asdict": _asdict, "_replace": _replace,
        "_fields": fields, "_make": classmethod(lambda cls, values: cls(*values)), "__match_args__": fields,
        "_field_defaults": dict(zip(fields[len(fields) - len(defaults):], defaults)),
    }
    for at, name in enumerate(fields):
        names[name] = getter(at)
    return type(typename, (tuple,), names)


class UserDict(dict):
    @property
    def data(self):
        return self


class UserList(list):
    @property
    def data(self):
        return self
