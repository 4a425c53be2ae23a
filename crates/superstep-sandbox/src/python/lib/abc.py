class ABC:
    __is_abstract__ = True


class ABCMeta:
    """As a metaclass it makes a class that `ABC` makes as a base."""
    __is_abstract__ = True


def abstractmethod(function):
    if isinstance(function, (property, classmethod, staticmethod)):
        return function
    function.__isabstractmethod__ = True
    return function


def abstractproperty(function):
    return property(abstractmethod(function))
