class Enum:
    def __init_subclass__(cls):
        members = []
        for name, value in list(cls.__dict__.items()):
            if name.startswith("_") or callable(value) or isinstance(value, (property, staticmethod, classmethod)):
                continue
            member = object.__new__(cls)
            object.__setattr__(member, "name", name)
            object.__setattr__(member, "value", value)
            setattr(cls, name, member)
            members.append(member)
        cls.__members__ = {member.name: member for member in members}

    def __new__(cls, value):
        for member in cls.__members__.values():
            if member.value == value:
                return member
        raise ValueError(f"{value!r} is not a valid {cls.__name__}")

    def __class_iter__(cls):
        return iter(list(cls.__members__.values()))
    __class_iter__ = classmethod(__class_iter__)

    def __class_getitem__(cls, name):
        return cls.__members__[name]
    __class_getitem__ = classmethod(__class_getitem__)

    def __repr__(self):
        return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self is other


class IntEnum(Enum):
    def __int__(self):
        return self.value

    def __index__(self):
        return self.value

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Enum) else other)

    def __lt__(self, other):
        return self.value < (other.value if isinstance(other, Enum) else other)

    def __hash__(self):
        return hash(self.value)


_last = 0


def auto():
    global _last
    _last += 1
    return _last
