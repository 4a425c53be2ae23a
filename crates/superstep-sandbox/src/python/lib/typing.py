class _Hint:
    def __getitem__(self, item):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __or__(self, other):
        return self


Any = Optional = Union = List = Dict = Tuple = Set = FrozenSet = Callable = Iterable = Iterator = _Hint()
Sequence = Mapping = Generator = Type = Literal = Final = ClassVar = Annotated = Generic = _Hint()
DefaultDict = OrderedDict = Counter = Deque = NoReturn = TypeAlias = Hashable = _Hint()
TYPE_CHECKING = False


def TypeVar(name, *args, **kwargs):
    return Any


def cast(kind, value):
    return value


class NamedTuple:
    def __init_subclass__(cls):
        names = list(cls.__dict__.get("__annotations__") or {})
        defaults = [cls.__dict__[name] for name in names if name in cls.__dict__]

        def __init__(self, *args, **kwargs):
            values = list(args)
            for at in range(len(values), len(names)):
                if names[at] in kwargs:
                    values.append(kwargs[names[at]])
                elif at >= len(names) - len(defaults):
                    values.append(defaults[at - len(names)])
                else:
                    raise TypeError(f"missing required argument: '{names[at]}'")
            self._values = tuple(values)
            for name, value in zip(names, values):
                object.__setattr__(self, name, value)
        cls.__init__ = __init__
        cls._fields = tuple(names)

    def __iter__(self):
        return iter(self._values)

    def __getitem__(self, index):
        return self._values[index]

    def __len__(self):
        return len(self._values)

    def __eq__(self, other):
        return tuple(self) == tuple(other)

    def __hash__(self):
        return hash(self._values)

    def __lt__(self, other):
        return tuple(self) < tuple(other)

    def _asdict(self):
        return dict(zip(self._fields, self._values))


class TypedDict(dict):
    pass


def overload(function):
    return function
