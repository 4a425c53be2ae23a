class auto:
    """A value that the class gives in its order. What is made of it with `|` waits for that."""

    def __init__(self, *parts):
        self._parts = parts

    def __or__(self, other):
        return auto(self, other)

    __ror__ = __or__

    def _resolved(self, make):
        if "value" not in vars(self):
            self.value = make() if not self._parts else _joined([getattr(part, "value", part) for part in self._parts])
        return self.value


def _joined(values):
    total = 0
    for value in values:
        total |= value
    return total


class _Members:
    """What a class of members does when it is called, walked through, measured and asked what is in it."""

    def __class_call__(cls, *args, **kwargs):
        if not cls.__dict__.get("_member_map_"):
            return _functional(cls, *args, **kwargs)
        return cls._of(args[0] if len(args) == 1 else args)
    __class_call__ = classmethod(__class_call__)

    @classmethod
    def __class_iter__(cls):
        return iter(cls._listed())

    @classmethod
    def __class_len__(cls):
        return len(cls._listed())

    @classmethod
    def __class_contains__(cls, value):
        if isinstance(value, cls):
            return value._name_ in cls._member_map_
        return any(member._value_ == value for member in cls._member_map_.values())

    @classmethod
    def __class_getitem__(cls, name):
        return cls._member_map_[name]

    @classmethod
    def __class_repr__(cls):
        kind = "flag" if issubclass(cls, Flag) else "enum"
        return f"<{kind} {cls.__name__!r}>"


def _is_member(name, value):
    if name.startswith("__") and name.endswith("__") or name.startswith("_") and name.endswith("_"):
        return False
    if isinstance(value, (property, staticmethod, classmethod)) or hasattr(type(value), "__get__"):
        return False
    return not (callable(value) and not isinstance(value, type))


class Enum(_Members):
    def __init_subclass__(cls, **kwargs):
        names = [(name, value) for name, value in cls.__dict__.items() if _is_member(name, value)]
        for base in cls.__mro__[1:]:
            if base.__dict__.get("_member_map_") and names:
                raise TypeError(f"<enum {cls.__name__!r}> cannot extend {base!r}")
        cls._member_map_ = {}
        cls._pseudo_ = {}
        cls._mixin_ = None
        for base in cls.__mro__[1:]:
            if base in (str, int, float, tuple, bytes):
                cls._mixin_ = base
                break
        if cls._mixin_ is not None and not issubclass(cls, ReprEnum):
            for name in ("__str__", "__format__", "__repr__"):
                if name not in cls.__dict__:
                    setattr(cls, name, getattr(Enum, name))
        last = []
        for name, value in names:
            def make():
                return cls._generate_next_value_(name, 1, len(last), last[:])
            if isinstance(value, auto):
                value = value._resolved(make)
            elif isinstance(value, tuple):
                value = tuple([part._resolved(make) if isinstance(part, auto) else part for part in value])
            last.append(value)
            member = cls._make(name, value)
            for known in cls._member_map_.values():
                if known._value_ == member._value_:
                    member = known
                    break
            cls._member_map_[name] = member
            setattr(cls, name, member)
        cls.__members__ = cls._member_map_

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        for value in reversed(last_values):
            try:
                return value + 1
            except TypeError:
                pass
        return start

    @classmethod
    def _make(cls, name, value):
        args = value if isinstance(value, tuple) else (value,)
        if cls._mixin_ is tuple:
            args = (value,)
        made_by = None
        for base in cls.__mro__:
            if base in (Enum, Flag, object):
                break
            if "__new__" in base.__dict__ and base not in (str, int, float, tuple, bytes):
                made_by = base.__dict__["__new__"]
                break
        if made_by is not None:
            made_by = getattr(made_by, "__func__", made_by)
            member = made_by(cls, *args)
        elif cls._mixin_ is not None:
            member = cls._mixin_.__new__(cls, *args)
        else:
            member = object.__new__(cls)
        if "_value_" not in vars(member):
            if cls._mixin_ is not None and made_by is None and cls._mixin_ is not tuple:
                value = cls._mixin_(*args)
            object.__setattr__(member, "_value_", value)
        object.__setattr__(member, "_name_", name)
        for base in cls.__mro__:
            if base is Enum:
                break
            if "__init__" in base.__dict__ and base not in (str, int, float, tuple, bytes):
                member.__init__(*args)
                break
        return member

    @classmethod
    def _listed(cls):
        return [member for name, member in cls._member_map_.items() if member._name_ == name]

    @classmethod
    def _of(cls, value):
        if isinstance(value, cls):
            return value
        for member in cls._member_map_.values():
            if member._value_ == value:
                return member
        found = cls._missing_(value)
        if isinstance(found, cls):
            return found
        if found is not None:
            raise TypeError(f"error in {cls.__name__}._missing_: returned {found!r} instead of None or a valid member")
        raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")

    @classmethod
    def _missing_(cls, value):
        return None

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __format__(self, spec):
        return format(str(self), spec)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class ReprEnum(Enum):
    """Members that print as their values."""

    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)


class IntEnum(int, ReprEnum):
    __repr__ = Enum.__repr__
    __str__ = ReprEnum.__str__
    __format__ = ReprEnum.__format__


class StrEnum(str, ReprEnum):
    __repr__ = Enum.__repr__
    __str__ = ReprEnum.__str__
    __format__ = ReprEnum.__format__

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class Flag(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return 2 ** max(value.bit_length() for value in last_values) if last_values else start

    @classmethod
    def _listed(cls):
        return [member for member in super()._listed() if member._value_ and member._value_ & (member._value_ - 1) == 0]

    @classmethod
    def _all(cls):
        bits = 0
        for member in cls._member_map_.values():
            bits |= member._value_
        return bits

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            return None
        if value < 0:
            value &= cls._all()
        if value & ~cls._all() and not issubclass(cls, int):
            raise ValueError(f"{cls!r} invalid value {value!r}")
        if value not in cls._pseudo_:
            member = int.__new__(cls, value) if issubclass(cls, int) else object.__new__(cls)
            object.__setattr__(member, "_value_", value)
            parts = [known._name_ for known in cls._listed() if known._value_ & value]
            rest = value & ~cls._all()
            if rest and parts:
                parts.append(str(rest))
            object.__setattr__(member, "_name_", "|".join(parts) or None)
            cls._pseudo_[value] = member
        return cls._pseudo_[value]

    def _other(self, other):
        if isinstance(other, type(self)):
            return other._value_
        return other if isinstance(self, int) and isinstance(other, int) else None

    def __or__(self, other):
        other = self._other(other)
        return NotImplemented if other is None else type(self)(self._value_ | other)

    def __and__(self, other):
        other = self._other(other)
        return NotImplemented if other is None else type(self)(self._value_ & other)

    def __xor__(self, other):
        other = self._other(other)
        return NotImplemented if other is None else type(self)(self._value_ ^ other)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __invert__(self):
        return type(self)(self._all() & ~self._value_)

    def __contains__(self, other):
        if not isinstance(other, type(self)):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and {type(self).__qualname__!r}")
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        return iter([member for member in self._listed() if member._value_ & self._value_])

    def __len__(self):
        return bin(self._value_).count("1")

    def __bool__(self):
        return bool(self._value_)

    def __repr__(self):
        if self._name_ is None:
            return f"<{type(self).__name__}: {self._value_!r}>"
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        if self._name_ is None:
            return f"{type(self).__name__}({self._value_!r})"
        return f"{type(self).__name__}.{self._name_}"


class IntFlag(int, ReprEnum, Flag):
    __repr__ = Flag.__repr__
    __str__ = ReprEnum.__str__
    __format__ = ReprEnum.__format__
    __or__ = __ror__ = Flag.__or__
    __and__ = __rand__ = Flag.__and__
    __xor__ = __rxor__ = Flag.__xor__
    __invert__ = Flag.__invert__
    __iter__ = Flag.__iter__
    __contains__ = Flag.__contains__
    __len__ = Flag.__len__


EnumMeta = EnumType = _Members


def unique(cls):
    twice = [f"{name} -> {member._name_}" for name, member in cls._member_map_.items() if member._name_ != name]
    if twice:
        raise ValueError(f"duplicate values found in {cls!r}: {', '.join(twice)}")
    return cls


def _functional(cls, name, names=None, module=None, qualname=None, type=None, start=1):
    if names is None:
        raise ValueError(f"{name!r} is not a valid {cls.__qualname__}")
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    if isinstance(names, dict):
        names = list(names.items())
    pairs = {}
    for at, each in enumerate(names):
        if isinstance(each, str):
            last = list(pairs.values())
            pairs[each] = cls._generate_next_value_(each, start, at, last)
        else:
            pairs[each[0]] = each[1]
    return _type(name, (cls,) if type is None else (type, cls), pairs)


_type = type
