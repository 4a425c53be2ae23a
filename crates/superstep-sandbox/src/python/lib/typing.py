from collections import namedtuple as _namedtuple


class _Hint:
    __is_hint__ = True

    def __getitem__(self, item):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __or__(self, other):
        return self

    __ror__ = __or__


Any = Optional = Union = List = Dict = Tuple = Set = FrozenSet = Callable = Iterable = Iterator = _Hint()
Sequence = Mapping = Generator = Type = Literal = Final = ClassVar = Annotated = Generic = Protocol = _Hint()
DefaultDict = OrderedDict = Counter = Deque = NoReturn = TypeAlias = Hashable = Collection = _Hint()
MutableMapping = MutableSequence = MutableSet = Text = Never = Self = LiteralString = Concatenate = _Hint()
Required = NotRequired = Unpack = AnyStr = SupportsFloat = SupportsInt = Reversible = Sized = Pattern = Match = _Hint()
TYPE_CHECKING = False


def TypeVar(name, *args, **kwargs):
    return Any


ParamSpec = TypeVarTuple = TypeVar


def NewType(name, kind):
    return lambda value: value


def cast(kind, value):
    return value


def get_type_hints(value):
    raise NotImplementedError("annotations of functions are not kept in this sandbox")


def runtime_checkable(cls):
    return cls


def _identity(function):
    return function


overload = final = override = no_type_check = _identity


class _NamedTuples:
    """`class Point(NamedTuple)` makes a class of tuples with names."""

    def __init_subclass__(cls):
        names = list(cls.__dict__.get("__annotations__") or {})
        defaults = [cls.__dict__[name] for name in names if name in cls.__dict__]
        made = _namedtuple(cls.__name__, names, defaults=defaults)
        cls.__new__ = made.__new__
        for name, value in made.__dict__.items():
            if name not in cls.__dict__ or name in names:
                if name not in ("__module__", "__qualname__", "__new__"):
                    setattr(cls, name, value)


class NamedTuple(tuple, _NamedTuples):
    pass


class TypedDict(dict):
    def __init_subclass__(cls, total=True):
        cls.__total__ = total

    def __class_call__(cls, *args, **kwargs):
        if cls is TypedDict:
            return dict
        return dict(*args, **kwargs)
    __class_call__ = classmethod(__class_call__)
