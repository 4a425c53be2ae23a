"""Messages of a program, which are printed."""
NOTSET, DEBUG, INFO, WARNING, ERROR, CRITICAL = 0, 10, 20, 30, 40, 50
WARN, FATAL = WARNING, CRITICAL
_NAMES = {DEBUG: "DEBUG", INFO: "INFO", WARNING: "WARNING", ERROR: "ERROR", CRITICAL: "CRITICAL"}
_root_level = WARNING


class Logger:
    def __init__(self, name):
        self.name = name
        self.level = NOTSET
        self.handlers = []

    def setLevel(self, level):
        self.level = level if isinstance(level, int) else [key for key, name in _NAMES.items() if name == level][0]

    def isEnabledFor(self, level): return level >= (self.level or _root_level)

    def log(self, level, msg, *args, **kwargs):
        if self.isEnabledFor(level):
            print(f"{_NAMES.get(level, level)}:{self.name}:{msg % args if args else msg}")

    def debug(self, msg, *args, **kwargs): self.log(DEBUG, msg, *args, **kwargs)
    def info(self, msg, *args, **kwargs): self.log(INFO, msg, *args, **kwargs)
    def warning(self, msg, *args, **kwargs): self.log(WARNING, msg, *args, **kwargs)
    def error(self, msg, *args, **kwargs): self.log(ERROR, msg, *args, **kwargs)
    def critical(self, msg, *args, **kwargs): self.log(CRITICAL, msg, *args, **kwargs)
    warn, exception = warning, error

    def addHandler(self, handler):
        raise NotImplementedError("handlers of logging are not supported in this sandbox; messages are printed")


_loggers = {}


def getLogger(name="root"):
    return _loggers.setdefault(name or "root", Logger(name or "root"))


def basicConfig(level=WARNING, **kwargs):
    global _root_level
    _root_level = level


def _of_root(name):
    return lambda msg, *args, **kwargs: getattr(getLogger(), name)(msg, *args, **kwargs)


debug, info, warning, error = _of_root("debug"), _of_root("info"), _of_root("warning"), _of_root("error")
critical, exception = _of_root("critical"), _of_root("error")
