class _Missing:
    def __repr__(self):
        return "MISSING"


class _KeywordOnly:
    """The fields after it are given by name alone."""


MISSING = _Missing()
KW_ONLY = _KeywordOnly()
InitVar = MISSING


class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = metadata or {}
        self.kw_only = kw_only


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None,
          kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


class FrozenInstanceError(AttributeError):
    pass


def _own_fields(cls, kw_only):
    found = {}
    for name, kind in (cls.__dict__.get("__annotations__") or {}).items():
        if kind == "KW_ONLY":
            kw_only = True
            continue
        if kind == "ClassVar":
            continue
        if kind == "InitVar":
            raise NotImplementedError("InitVar is not supported in this sandbox")
        default = cls.__dict__.get(name, MISSING)
        each = default if isinstance(default, Field) else field(default=default)
        if isinstance(each.default, (list, dict, set)):
            raise ValueError(f"mutable default {type(each.default)} for field {name} is not allowed: use default_factory")
        each.name = name
        each.type = kind
        if each.kw_only is MISSING:
            each.kw_only = kw_only
        found[name] = each
        if isinstance(default, Field):
            if default.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
    return found


def _init(cls, fields):
    takes = [each for each in fields if each.init and not each.kw_only]
    named = [each for each in fields if each.init and each.kw_only]
    has_default = False
    for each in takes:
        if each.default is not MISSING or each.default_factory is not MISSING:
            has_default = True
        elif has_default:
            raise TypeError(f"non-default argument {each.name!r} follows default argument")

    def __init__(self, *args, **kwargs):
        if len(args) > len(takes):
            least = 1 + len([each for each in takes if each.default is MISSING and each.default_factory is MISSING])
            count = f"from {least} to {len(takes) + 1}" if least <= len(takes) else str(len(takes) + 1)
            raise TypeError(f"{cls.__name__}.__init__() takes {count} positional arguments but {len(args) + 1} were given")
        missing = []
        for each in takes[:len(args)]:
            if each.name in kwargs:
                raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument {each.name!r}")
        given = {each.name: value for each, value in zip(takes, args)}
        for each in fields:
            if each.name in given:
                value = given[each.name]
            elif each.init and each.name in kwargs:
                value = kwargs.pop(each.name)
            elif each.default_factory is not MISSING:
                value = each.default_factory()
            elif each.default is not MISSING:
                value = each.default
            elif each.init:
                missing.append(each)
                continue
            else:
                continue
            object.__setattr__(self, each.name, value)
        if kwargs:
            raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument {list(kwargs)[0]!r}")
        if missing:
            names = [repr(each.name) for each in missing]
            text = names[0] if len(names) == 1 else ", ".join(names[:-1]) + ("," if len(names) > 2 else "") + " and " + names[-1]
            kind = "keyword-only argument" if missing[0].kw_only else "required positional argument"
            raise TypeError(f"{cls.__name__}.__init__() missing {len(names)} {kind}{'s' if len(names) > 1 else ''}: {text}")
        if hasattr(self, "__post_init__"):
            self.__post_init__()
    return __init__


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False,
              match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def wrap(cls):
        found = {}
        for base in reversed(cls.__mro__[1:]):
            found.update(base.__dict__.get("__dataclass_fields__") or {})
        found.update(_own_fields(cls, kw_only))
        cls.__dataclass_fields__ = found
        fields = list(found.values())
        compared = [each.name for each in fields if each.compare]
        if match_args:
            cls.__match_args__ = tuple([each.name for each in fields if each.init and not each.kw_only])

        def values(self):
            return tuple([getattr(self, name) for name in compared])

        def ordered(compare):
            return lambda self, other: compare(values(self), values(other)) if type(other) is type(self) else NotImplemented

        if init and "__init__" not in cls.__dict__:
            cls.__init__ = _init(cls, fields)
        if repr and "__repr__" not in cls.__dict__:
            cls.__repr__ = lambda self: type(self).__qualname__ + "(" + ", ".join(
                [f"{each.name}={getattr(self, each.name)!r}" for each in fields if each.repr]) + ")"
        has_hash = cls.__dict__.get("__hash__") is not None
        if eq and "__eq__" not in cls.__dict__:
            cls.__eq__ = ordered(lambda one, two: one == two)
        hashed = [each.name for each in fields if (each.compare if each.hash is None else each.hash)]
        if eq and not has_hash:
            if frozen or unsafe_hash:
                cls.__hash__ = lambda self: hash(tuple([getattr(self, name) for name in hashed]))
            else:
                cls.__hash__ = None
        if frozen:
            def refuse(self, name, *value):
                raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
            cls.__setattr__ = refuse
            cls.__delattr__ = refuse
        if order:
            if not eq:
                raise ValueError("eq must be true if order is true")
            cls.__lt__ = ordered(lambda one, two: one < two)
            cls.__le__ = ordered(lambda one, two: one <= two)
            cls.__gt__ = ordered(lambda one, two: one > two)
            cls.__ge__ = ordered(lambda one, two: one >= two)
        return cls

    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    if not hasattr(class_or_instance, "__dataclass_fields__"):
        raise TypeError("must be called with a dataclass type or instance")
    return tuple(class_or_instance.__dataclass_fields__.values())


def is_dataclass(obj):
    return hasattr(obj, "__dataclass_fields__")


def _copied(value, whole):
    if is_dataclass(value) and not isinstance(value, type):
        return whole(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_copied(item, whole) for item in value])
    if isinstance(value, (list, tuple)):
        return type(value)([_copied(item, whole) for item in value])
    if isinstance(value, dict):
        return {_copied(key, whole): _copied(item, whole) for key, item in value.items()}
    return value


def asdict(obj, *, dict_factory=dict):
    if not is_dataclass(obj) or isinstance(obj, type):
        raise TypeError("asdict() should be called on dataclass instances")

    def whole(value):
        return dict_factory([(each.name, _copied(getattr(value, each.name), whole)) for each in fields(value)])
    return whole(obj)


def astuple(obj, *, tuple_factory=tuple):
    def whole(value):
        return tuple_factory([_copied(getattr(value, each.name), whole) for each in fields(value)])
    return whole(obj)


def replace(obj, /, **changes):
    for each in fields(obj):
        if each.init:
            changes.setdefault(each.name, getattr(obj, each.name))
        elif each.name in changes:
            raise ValueError(f"field {each.name} is declared with init=False, it cannot be specified with replace()")
    return type(obj)(**changes)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **kwargs):
    names = dict(namespace or {})
    annotations = {}
    for each in fields:
        each = (each, "object") if isinstance(each, str) else each
        annotations[each[0]] = getattr(each[1], "__name__", str(each[1]))
        if len(each) > 2:
            names[each[0]] = each[2]
    names["__annotations__"] = annotations
    return dataclass(type(cls_name, bases, names), **kwargs)
