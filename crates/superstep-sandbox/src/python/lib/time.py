import _clock

_NAMES = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst")
timezone = altzone = daylight = 0
tzname = ("UTC", "UTC")


class struct_time(tuple):
    def __getattr__(self, name):
        if name in _NAMES:
            return self[_NAMES.index(name)]
        raise AttributeError(f"'time.struct_time' object has no attribute {name!r}")

    def __repr__(self):
        return f"time.struct_time({', '.join([f'{name}={value}' for name, value in zip(_NAMES, self)])})"


def time():
    return _clock.now()


def time_ns():
    return int(_clock.now() * 1000000000)


perf_counter = monotonic = process_time = thread_time = time
perf_counter_ns = monotonic_ns = time_ns


def sleep(seconds):
    pass


def gmtime(seconds=None):
    from datetime import datetime
    parts = datetime.fromtimestamp(int(_clock.now() if seconds is None else seconds // 1)).timetuple()
    return struct_time(list(parts)[:8] + [0])


localtime = gmtime


def mktime(t):
    from datetime import datetime
    return datetime(*tuple(t)[:6]).timestamp()


def _moment(t):
    from datetime import datetime
    return datetime(*tuple(gmtime() if t is None else t)[:6])


def strftime(format, t=None):
    return _moment(t).strftime(format)


def strptime(string, format="%a %b %d %H:%M:%S %Y"):
    from datetime import datetime
    return datetime.strptime(string, format).timetuple()


def asctime(t=None):
    return _moment(t).ctime()


def ctime(seconds=None):
    return asctime(gmtime(seconds))
