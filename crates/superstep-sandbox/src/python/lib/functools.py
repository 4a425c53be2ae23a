from collections import namedtuple

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__")


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
    def __init__(self, func, /, *args, **keywords):
        if isinstance(func, partial):
            args, keywords, func = func.args + args, {**func.keywords, **keywords}, func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})

    def __repr__(self):
        parts = [repr(self.func)] + [repr(arg) for arg in self.args] + [f"{name}={value!r}" for name, value in self.keywords.items()]
        return f"functools.partial({', '.join(parts)})"


class partialmethod:
    def __init__(self, func, /, *args, **keywords):
        self._call = (func, args, keywords)

    def __get__(self, obj, cls=None):
        func, args, keywords = self._call
        return partial(func, obj, *args, **keywords)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=("__dict__",)):
    for name in assigned:
        if hasattr(wrapped, name):
            setattr(wrapper, name, getattr(wrapped, name))
    if "__dict__" in updated:
        wrapper.__dict__.update(getattr(wrapped, "__dict__", {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=("__dict__",)):
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


_Info = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


def lru_cache(maxsize=128, typed=False):
    def decorate(function):
        known = {}
        counts = [0, 0]

        def cached(*args, **kwargs):
            key = (args, tuple(kwargs.items()))
            if typed:
                key += tuple([type(arg) for arg in args]) + tuple([type(arg) for arg in kwargs.values()])
            if key in known:
                counts[0] += 1
                value = known.pop(key)
                known[key] = value
                return value
            counts[1] += 1
            value = function(*args, **kwargs)
            known[key] = value
            if most is not None and len(known) > most:
                del known[next(iter(known))]
            return value

        def clear():
            known.clear()
            counts[:] = [0, 0]

        update_wrapper(cached, function)
        cached.cache_clear = clear
        cached.cache_info = lambda: _Info(counts[0], counts[1], most, len(known))
        return cached
    if callable(maxsize):
        most = 128
        return decorate(maxsize)
    most = None if maxsize is None else max(maxsize, 0)
    return decorate


def cache(user_function, /):
    return lru_cache(None)(user_function)


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = func.__name__
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        known = instance.__dict__
        if self.attrname not in known:
            known[self.attrname] = self.func(instance)
        return known[self.attrname]


def cmp_to_key(mycmp):
    class Key:
        __hash__ = None

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other): return mycmp(self.obj, other.obj) < 0
        def __gt__(self, other): return mycmp(self.obj, other.obj) > 0
        def __le__(self, other): return mycmp(self.obj, other.obj) <= 0
        def __ge__(self, other): return mycmp(self.obj, other.obj) >= 0
        def __eq__(self, other): return mycmp(self.obj, other.obj) == 0
    return Key


def total_ordering(cls):
    def has(name):
        return any(name in base.__dict__ for base in cls.__mro__ if base is not object)

    def opposite(name, joins):
        def order(self, other):
            found = getattr(type(self), name)(self, other)
            return found if found is NotImplemented else joins(found, self, other)
        return order

    rules = {
        "__lt__": {"__gt__": lambda it, a, b: not it and a != b, "__le__": lambda it, a, b: it or a == b, "__ge__": lambda it, a, b: not it},
        "__le__": {"__ge__": lambda it, a, b: not it or a == b, "__lt__": lambda it, a, b: it and a != b, "__gt__": lambda it, a, b: not it},
        "__gt__": {"__lt__": lambda it, a, b: not (it or a == b), "__ge__": lambda it, a, b: it or a == b, "__le__": lambda it, a, b: not it},
        "__ge__": {"__le__": lambda it, a, b: not it or a == b, "__gt__": lambda it, a, b: it and a != b, "__lt__": lambda it, a, b: not it},
    }
    for root in ("__lt__", "__le__", "__gt__", "__ge__"):
        if has(root):
            for name, joins in rules[root].items():
                if not has(name):
                    setattr(cls, name, opposite(root, joins))
            return cls
    raise ValueError("must define at least one ordering operation: < > <= >=")


def singledispatch(func):
    known = {object: func}

    def dispatch(cls):
        for base in cls.__mro__:
            if base in known:
                return known[base]
        return func

    def register(cls, function=None):
        if not isinstance(cls, type):
            raise NotImplementedError("annotations are not kept in this sandbox; write @function.register(type)")
        if function is None:
            return lambda function: register(cls, function)
        known[cls] = function
        return function

    def call(*args, **kwargs):
        return dispatch(type(args[0]))(*args, **kwargs)

    update_wrapper(call, func)
    call.register, call.dispatch, call.registry = register, dispatch, known
    return call
