class _Any:
    def __init__(self, *names):
        self._names = names

    def __instancecheck__(self, value):
        return all(hasattr(value, name) for name in self._names)

    def __getitem__(self, item):
        return self


class _Plain:
    def __init__(self, *classes):
        self._classes = classes

    def __instancecheck__(self, value):
        return isinstance(value, self._classes)

    def __getitem__(self, item):
        return self


class _Iterable:
    def __instancecheck__(self, value):
        return isinstance(value, (str, list, tuple, dict, set, frozenset, range)) or hasattr(value, "__iter__")

    def __getitem__(self, item):
        return self


Iterable = _Iterable()
Iterator = _Any("__next__")
Mapping = MutableMapping = _Plain(dict)
Sequence = _Plain(list, tuple, str, range)
MutableSequence = _Plain(list)
Set = MutableSet = _Plain(set, frozenset)
Callable = _Any("__call__")
Hashable = _Any("__hash__")
Generator = _Any("send")
