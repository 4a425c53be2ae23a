def reduce(function, iterable, *initial):
    items = iter(iterable)
    if initial:
        total = initial[0]
    else:
        try:
            total = next(items)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    for item in items:
        total = function(total, item)
    return total


class partial:
    def __init__(self, func, *args, **keywords):
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})


def wraps(wrapped):
    def update(wrapper):
        for name in ("__name__", "__doc__"):
            setattr(wrapper, name, getattr(wrapped, name, None))
        wrapper.__wrapped__ = wrapped
        return wrapper
    return update


def lru_cache(maxsize=128, typed=False):
    def decorate(function):
        known = {}

        def cached(*args, **kwargs):
            key = (args, tuple(sorted(kwargs.items())))
            if key not in known:
                known[key] = function(*args, **kwargs)
            return known[key]
        cached.__name__ = function.__name__
        cached.cache_clear = known.clear
        return cached
    if callable(maxsize):
        return decorate(maxsize)
    return decorate


def cache(function):
    return lru_cache(None)(function)


def cached_property(function):
    name = "_cached_" + function.__name__

    def get(self):
        known = vars(self)
        if name not in known:
            object.__setattr__(self, name, function(self))
        return vars(self)[name]
    return property(get)


def cmp_to_key(compare):
    class Key:
        def __init__(self, value):
            self.value = value

        def __lt__(self, other):
            return compare(self.value, other.value) < 0

        def __eq__(self, other):
            return compare(self.value, other.value) == 0
    return Key


def total_ordering(cls):
    if "__lt__" in cls.__dict__:
        cls.__gt__ = lambda self, other: not (self < other or self == other)
        cls.__le__ = lambda self, other: self < other or self == other
        cls.__ge__ = lambda self, other: not self < other
    elif "__gt__" in cls.__dict__:
        cls.__lt__ = lambda self, other: not (self > other or self == other)
        cls.__ge__ = lambda self, other: self > other or self == other
        cls.__le__ = lambda self, other: not self > other
    return cls
