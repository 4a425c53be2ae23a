"""Contexts of `with`, made of generators and of functions."""
from functools import wraps


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class ContextDecorator:
    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)
        return inner

    def _again(self):
        return self


class _Generated(ContextDecorator):
    def __init__(self, function, args, kwargs):
        self._made = (function, args, kwargs)
        self.gen = function(*args, **kwargs)

    def _again(self):
        function, args, kwargs = self._made
        return _Generated(function, args, kwargs)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as ended:
            return ended is not value
        except RuntimeError as error:
            if error is value:
                return False
            if isinstance(value, StopIteration) and error.__cause__ is value:
                return False
            raise
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function):
    @wraps(function)
    def make(*args, **kwargs):
        return _Generated(function, args, kwargs)
    return make


class suppress(AbstractContextManager):
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self._exceptions)


class closing(AbstractContextManager):
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exception):
        self.thing.close()


class nullcontext(AbstractContextManager):
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result


class redirect_stdout(AbstractContextManager):
    def __init__(self, new_target):
        raise NotImplementedError("what is printed cannot be redirected in this sandbox; use print(..., file=...)")


redirect_stderr = redirect_stdout


class ExitStack(AbstractContextManager):
    def __init__(self):
        self._exits = []

    def enter_context(self, context):
        value = context.__enter__()
        self._exits.append(context.__exit__)
        return value

    def push(self, exit):
        self._exits.append(getattr(exit, "__exit__", exit))
        return exit

    def callback(self, function, /, *args, **kwargs):
        def call(kind, value, traceback):
            function(*args, **kwargs)
        self._exits.append(call)
        return function

    def pop_all(self):
        stack = ExitStack()
        stack._exits, self._exits = self._exits, []
        return stack

    def close(self):
        self.__exit__(None, None, None)

    def __exit__(self, kind, value, traceback):
        outer = value
        while self._exits:
            try:
                if self._exits.pop()(None if value is None else type(value), value, None):
                    value = None
            except BaseException as error:
                value = error
        if value is not None and value is not outer:
            raise value
        return outer is not None and value is None
