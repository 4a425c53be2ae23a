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

    def __repr__(self):
        return "OrderedDict(" + repr(dict(self)) + ")"


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

    def __add__(self, other):
        result = Counter()
        for key in list(self) + [key for key in other if key not in self]:
            count = self[key] + other[key]
            if count > 0:
                result[key] = count
        return result

    def __sub__(self, other):
        result = Counter()
        for key in self:
            count = self[key] - other[key]
            if count > 0:
                result[key] = count
        return result

    def __repr__(self):
        if not self:
            return "Counter()"
        return "Counter(" + repr(dict(self.most_common())) + ")"


class deque:
    def __init__(self, iterable=(), maxlen=None):
        self._items = []
        self.maxlen = maxlen
        for item in iterable:
            self.append(item)

    def append(self, item):
        self._items.append(item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, item):
        self._items.insert(0, item)
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

    def extend(self, items):
        for item in items:
            self.append(item)

    def extendleft(self, items):
        for item in items:
            self.appendleft(item)

    def rotate(self, n=1):
        if self._items:
            n = n % len(self._items)
            self._items[:] = self._items[-n:] + self._items[:-n]

    def clear(self):
        self._items.clear()

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __getitem__(self, index):
        return self._items[index]

    def __setitem__(self, index, value):
        self._items[index] = value

    def __contains__(self, item):
        return item in self._items

    def __eq__(self, other):
        return list(self) == list(other)

    def __repr__(self):
        return "deque(" + repr(self._items) + ")"


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for each in self.maps:
            if key in each:
                return each[key]
        raise KeyError(key)

    def get(self, key, default=None):
        for each in self.maps:
            if key in each:
                return each[key]
        return default

    def __contains__(self, key):
        return any(key in each for each in self.maps)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def keys(self):
        seen = {}
        for each in reversed(self.maps):
            seen.update(each)
        return seen.keys()


def namedtuple(typename, field_names, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    fields = tuple(field_names)
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
        return typename + "(" + ", ".join(f"{name}={self[at]!r}" for at, name in enumerate(fields)) + ")"

    def _asdict(self):
        return {name: self[at] for at, name in enumerate(fields)}

    def _replace(self, **kwargs):
        values = self._asdict()
        values.update(kwargs)
        return type(self)(**values)

    def getter(at):
        return property(lambda self: self[at])

    names = {
        "__new__": __new__, "__repr__": __repr__, "_asdict": _asdict, "_replace": _replace,
        "_fields": fields, "_make": classmethod(lambda cls, values: cls(*values)),
    }
    for at, name in enumerate(fields):
        names[name] = getter(at)
    return type(typename, (tuple,), names)
