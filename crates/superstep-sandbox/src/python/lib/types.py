class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return f"namespace({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __eq__(self, other):
        return self.__dict__ == other.__dict__ if isinstance(other, SimpleNamespace) else NotImplemented


def _function():
    yield


FunctionType = LambdaType = type(_function)
GeneratorType = type(_function())
BuiltinFunctionType = type(len)
MethodType = type([].append)
NoneType = type(None)
UnionType = type(int | str)
EllipsisType = type(...)


def MappingProxyType(mapping):
    return dict(mapping)
