class _Missing:
    def __repr__(self):
        return "MISSING"


MISSING = _Missing()


class Field:
    def __init__(self, default, default_factory, repr, compare, init):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.compare = compare
        self.init = init


def field(default=MISSING, default_factory=MISSING, repr=True, compare=True, init=True, hash=None, kw_only=False, metadata=None):
    return Field(default, default_factory, repr, compare, init)


class FrozenInstanceError(AttributeError):
    pass


def dataclass(cls=None, init=True, repr=True, eq=True, order=False, frozen=False, slots=False, kw_only=False):
    def wrap(cls):
        found = {}
        for base in reversed(cls.__mro__):
            known = getattr(base, "__dict__", {}).get("__dataclass_fields__")
            if known and base is not cls:
                found.update(known)
        for name, kind in (cls.__dict__.get("__annotations__") or {}).items():
            default = cls.__dict__.get(name, MISSING)
            each = default if isinstance(default, Field) else Field(default, MISSING, True, True, True)
            each.name = name
            each.type = kind
            found[name] = each
            if isinstance(default, Field) and default.default is not MISSING:
                setattr(cls, name, default.default)
        cls.__dataclass_fields__ = found
        fields_in_order = list(found.values())

        def __init__(self, *args, **kwargs):
            given = list(args)
            takes = [each for each in fields_in_order if each.init]
            if len(given) > len(takes):
                raise TypeError(f"{cls.__name__}.__init__() takes {len(takes) + 1} positional arguments but {len(given) + 1} were given")
            for each in fields_in_order:
                if each.init and given:
                    value = given.pop(0)
                    if each.name in kwargs:
                        raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument '{each.name}'")
                elif each.init and each.name in kwargs:
                    value = kwargs.pop(each.name)
                elif each.default is not MISSING:
                    value = each.default
                elif each.default_factory is not MISSING:
                    value = each.default_factory()
                elif each.init:
                    raise TypeError(f"{cls.__name__}.__init__() missing 1 required positional argument: '{each.name}'")
                else:
                    continue
                object.__setattr__(self, each.name, value)
            if kwargs:
                raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument '{list(kwargs)[0]}'")
            if hasattr(self, "__post_init__"):
                self.__post_init__()

        def values(self):
            return tuple([getattr(self, each.name) for each in fields_in_order if each.compare])

        if init and "__init__" not in cls.__dict__:
            cls.__init__ = __init__
        if repr and "__repr__" not in cls.__dict__:
            cls.__repr__ = lambda self: cls.__name__ + "(" + ", ".join(
                f"{each.name}={getattr(self, each.name)!r}" for each in fields_in_order if each.repr) + ")"
        if eq and "__eq__" not in cls.__dict__:
            cls.__eq__ = lambda self, other: values(self) == values(other) if type(other) is type(self) else NotImplemented
        if frozen:
            cls.__hash__ = lambda self: hash(values(self))

            def refuse(self, name, value):
                raise FrozenInstanceError(f"cannot assign to field '{name}'")
            cls.__setattr__ = refuse
        if order:
            cls.__lt__ = lambda self, other: values(self) < values(other)
            cls.__le__ = lambda self, other: values(self) <= values(other)
            cls.__gt__ = lambda self, other: values(self) > values(other)
            cls.__ge__ = lambda self, other: values(self) >= values(other)
        return cls

    return wrap if cls is None else wrap(cls)


def fields(value):
    return tuple(value.__dataclass_fields__.values())


def is_dataclass(value):
    return hasattr(value, "__dataclass_fields__")


def asdict(value):
    if is_dataclass(value):
        return {each.name: asdict(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (list, tuple)):
        return [asdict(item) for item in value]
    if isinstance(value, dict):
        return {key: asdict(item) for key, item in value.items()}
    return value


def astuple(value):
    return tuple([getattr(value, each.name) for each in fields(value)])


def replace(value, **changes):
    given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    given.update(changes)
    return type(value)(**given)
