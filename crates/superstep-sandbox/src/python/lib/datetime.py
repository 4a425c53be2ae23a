import _clock
from time import struct_time

MINYEAR = 1
MAXYEAR = 9999
_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
_SECOND = 1000000
_DAY = 86400 * _SECOND


def _is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_in(year, month):
    return 29 if month == 2 and _is_leap(year) else _DAYS[month]


def _ordinal(year, month, day):
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    for each in range(1, month):
        days += _days_in(year, each)
    return days + day


def _from_ordinal(n):
    if n < 1 or n > 3652059:
        raise OverflowError("date value out of range")
    n -= 1
    n400, n = divmod(n, 146097)
    n100, n = divmod(n, 36524)
    n4, n = divmod(n, 1461)
    n1, n = divmod(n, 365)
    year = n400 * 400 + n100 * 100 + n4 * 4 + n1 + 1
    if n1 == 4 or n100 == 4:
        return (year - 1, 12, 31)
    month = 1
    while n >= _days_in(year, month):
        n -= _days_in(year, month)
        month += 1
    return (year, month, n + 1)


def _whole(*values):
    for value in values:
        if not isinstance(value, int):
            raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")


def _rounded(top, below):
    """The integer nearest to a quotient; halves go to the even one."""
    if below < 0:
        top, below = -top, -below
    whole, rest = divmod(top, below)
    return whole + (2 * rest > below or 2 * rest == below and whole % 2 == 1)


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        total, below = 0, 1
        for value, unit in ((days, _DAY), (seconds, _SECOND), (microseconds, 1), (milliseconds, 1000),
                            (minutes, 60 * _SECOND), (hours, 3600 * _SECOND), (weeks, 7 * _DAY)):
            if isinstance(value, int):
                total += value * unit * below
            elif isinstance(value, float):
                top, part = value.as_integer_ratio()
                total, below = total * part + top * unit * below, below * part
            else:
                raise TypeError(f"unsupported type for timedelta component: {type(value).__name__}")
        self._set(total if below == 1 else _rounded(total, below))

    def _set(self, micros):
        self._micros = micros
        seconds, self.microseconds = divmod(micros, _SECOND)
        self.days, self.seconds = divmod(seconds, 86400)
        if abs(self.days) > 999999999:
            raise OverflowError(f"days={self.days}; must have magnitude <= 999999999")

    @classmethod
    def _of(cls, micros):
        made = object.__new__(timedelta)
        made._set(micros)
        return made

    def total_seconds(self):
        return self._micros / _SECOND

    def __add__(self, other): return self._of(self._micros + other._micros) if isinstance(other, timedelta) else NotImplemented
    def __sub__(self, other): return self._of(self._micros - other._micros) if isinstance(other, timedelta) else NotImplemented
    def __neg__(self): return self._of(-self._micros)
    def __pos__(self): return self
    def __abs__(self): return self._of(abs(self._micros))

    def __mul__(self, factor):
        if isinstance(factor, int):
            return self._of(self._micros * factor)
        if isinstance(factor, float):
            top, below = factor.as_integer_ratio()
            return self._of(_rounded(self._micros * top, below))
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._micros / other._micros
        if isinstance(other, int):
            if other == 0:
                raise ZeroDivisionError("division by zero")
            return self._of(_rounded(self._micros, other))
        if isinstance(other, float):
            top, below = other.as_integer_ratio()
            if top == 0:
                raise ZeroDivisionError("division by zero")
            return self._of(_rounded(self._micros * below, top))
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._micros // other._micros
        return self._of(self._micros // other) if isinstance(other, int) else NotImplemented

    def __mod__(self, other): return self._of(self._micros % other._micros) if isinstance(other, timedelta) else NotImplemented
    def __eq__(self, other): return self._micros == other._micros if isinstance(other, timedelta) else NotImplemented
    def __lt__(self, other): return self._micros < other._micros if isinstance(other, timedelta) else NotImplemented
    def __le__(self, other): return self._micros <= other._micros if isinstance(other, timedelta) else NotImplemented
    def __gt__(self, other): return self._micros > other._micros if isinstance(other, timedelta) else NotImplemented
    def __ge__(self, other): return self._micros >= other._micros if isinstance(other, timedelta) else NotImplemented
    def __bool__(self): return self._micros != 0
    def __hash__(self): return ("timedelta", self._micros)

    def __repr__(self):
        parts = [f"{name}={getattr(self, name)}" for name in ("days", "seconds", "microseconds") if getattr(self, name)]
        return f"datetime.timedelta({', '.join(parts) or 0})"

    def __str__(self):
        hours, rest = divmod(self.seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        text = f"{hours}:{minutes:02d}:{seconds:02d}"
        if self.microseconds:
            text += f".{self.microseconds:06d}"
        if self.days:
            text = f"{self.days} day{'' if abs(self.days) == 1 else 's'}, " + text
        return text


timedelta.min = timedelta(-999999999)
timedelta.max = timedelta(days=999999999, hours=23, minutes=59, seconds=59, microseconds=999999)
timedelta.resolution = timedelta(microseconds=1)


class tzinfo:
    """What a zone has to say; `timezone` has a fixed offset."""

    def utcoffset(self, dt): raise NotImplementedError("a tzinfo subclass must implement utcoffset()")
    def tzname(self, dt): raise NotImplementedError("a tzinfo subclass must implement tzname()")
    def dst(self, dt): raise NotImplementedError("a tzinfo subclass must implement dst()")

    def fromutc(self, dt):
        offset = self.utcoffset(dt)
        standard = offset - self.dst(dt)
        dt += standard
        return dt + self.dst(dt)


class timezone(tzinfo):
    def __init__(self, offset, name=None):
        if not isinstance(offset, timedelta):
            raise TypeError(f"timezone() argument 1 must be datetime.timedelta, not {type(offset).__name__}")
        if abs(offset) >= timedelta(days=1):
            raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), "
                             f"not {offset!r}")
        self._offset = offset
        self._name = name

    def utcoffset(self, dt): return self._offset
    def dst(self, dt): return None
    def fromutc(self, dt): return dt + self._offset

    def tzname(self, dt):
        if self._name is not None:
            return self._name
        return "UTC" + _offset_text(self._offset) if self._offset else "UTC"

    def __eq__(self, other): return self._offset == other._offset if isinstance(other, timezone) else NotImplemented
    def __hash__(self): return ("timezone", self._offset._micros)
    def __str__(self): return self.tzname(None)

    def __repr__(self):
        if self is timezone.utc:
            return "datetime.timezone.utc"
        return f"datetime.timezone({self._offset!r}" + (")" if self._name is None else f", {self._name!r})")


timezone.utc = UTC = timezone(timedelta(0))
timezone.min = timezone(-timedelta(hours=23, minutes=59))
timezone.max = timezone(timedelta(hours=23, minutes=59))


def _offset_text(offset, sep=":"):
    if offset is None:
        return ""
    sign = "-" if offset.days < 0 else "+"
    seconds, micros = divmod(abs(offset)._micros, _SECOND)
    text = f"{sign}{seconds // 3600:02d}{sep}{seconds // 60 % 60:02d}"
    if seconds % 60 or micros:
        text += f"{sep}{seconds % 60:02d}"
    return text + (f".{micros:06d}" if micros else "")


def _clock_text(value, timespec):
    forms = {"hours": "{0:02d}", "minutes": "{0:02d}:{1:02d}", "seconds": "{0:02d}:{1:02d}:{2:02d}",
             "milliseconds": "{0:02d}:{1:02d}:{2:02d}.{4:03d}", "microseconds": "{0:02d}:{1:02d}:{2:02d}.{3:06d}"}
    if timespec == "auto":
        timespec = "microseconds" if value.microsecond else "seconds"
    if timespec not in forms:
        raise ValueError("Unknown timespec value")
    text = forms[timespec].format(value.hour, value.minute, value.second, value.microsecond, value.microsecond // 1000)
    return text + _offset_text(value.utcoffset())


def _check_clock(hour, minute, second, microsecond, zone, fold):
    _whole(hour, minute, second, microsecond)
    for name, value, end in (("hour", hour, 24), ("minute", minute, 60), ("second", second, 60)):
        if not 0 <= value < end:
            raise ValueError(f"{name} must be in 0..{end - 1}")
    if not 0 <= microsecond < _SECOND:
        raise ValueError("microsecond must be in 0..999999")
    if fold not in (0, 1):
        raise ValueError("fold must be either 0 or 1", fold)
    if zone is not None and not isinstance(zone, tzinfo):
        raise TypeError("tzinfo argument must be None or of a tzinfo subclass, not type " + repr(type(zone).__name__))


class date:
    def __init__(self, year, month, day):
        _whole(year, month, day)
        if not MINYEAR <= year <= MAXYEAR:
            raise ValueError(f"year {year} is out of range")
        if not 1 <= month <= 12:
            raise ValueError("month must be in 1..12")
        if not 1 <= day <= _days_in(year, month):
            raise ValueError("day is out of range for month")
        self.year = year
        self.month = month
        self.day = day

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_clock.now())

    @classmethod
    def fromtimestamp(cls, timestamp):
        return cls(*_from_ordinal(719163 + int(timestamp // 86400)))

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, date_string):
        if not isinstance(date_string, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            day = _read_date(date_string)
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {date_string!r}") from None
        return cls(*day)

    @classmethod
    def fromisocalendar(cls, year, week, day):
        first = _ordinal(year, 1, 4)
        monday = first - (first + 6) % 7
        if not 1 <= day <= 7:
            raise ValueError(f"Invalid weekday: {day} (range is [1, 7])")
        found = cls(*_from_ordinal(monday + (week - 1) * 7 + day - 1))
        if week < 1 or found.isocalendar()[0] != year:
            raise ValueError(f"Invalid week: {week}")
        return found

    def toordinal(self): return _ordinal(self.year, self.month, self.day)
    def weekday(self): return (self.toordinal() + 6) % 7
    def isoweekday(self): return self.weekday() + 1

    def isocalendar(self):
        thursday = _from_ordinal(self.toordinal() - self.weekday() + 3)
        week = (_ordinal(*thursday) - _ordinal(thursday[0], 1, 1)) // 7 + 1
        return IsoCalendarDate(thursday[0], week, self.isoweekday())

    def _day_of_year(self): return self.toordinal() - _ordinal(self.year, 1, 1) + 1

    def timetuple(self):
        return struct_time((self.year, self.month, self.day, 0, 0, 0, self.weekday(), self._day_of_year(), -1))

    def ctime(self): return self.strftime("%a %b %e %H:%M:%S %Y")
    def isoformat(self): return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def strftime(self, format):
        from _dateformat import write
        return write(self, format)

    def __format__(self, spec): return self.strftime(spec) if spec else str(self)

    def replace(self, year=None, month=None, day=None):
        return type(self)(self.year if year is None else year, self.month if month is None else month,
                          self.day if day is None else day)

    def _key(self): return (self.year, self.month, self.day)

    def _compared(self, other):
        """What is compared with the key of another one; nothing for other things."""
        if not isinstance(other, date):
            return None
        if isinstance(other, datetime):
            raise TypeError(f"can't compare {type(other).__module__}.{type(other).__name__} to datetime.date")
        return other._key()

    def __eq__(self, other):
        return self._key() == other._key() if isinstance(other, date) and not isinstance(other, datetime) else NotImplemented

    def __lt__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() < other

    def __le__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() <= other

    def __gt__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() > other

    def __ge__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() >= other

    def __hash__(self): return ("date", self.year, self.month, self.day)

    def __add__(self, other):
        return type(self)(*_from_ordinal(self.toordinal() + other.days)) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return type(self)(*_from_ordinal(self.toordinal() - other.days))
        if isinstance(other, date) and not isinstance(other, datetime):
            return timedelta(days=self.toordinal() - other.toordinal())
        return NotImplemented

    def __str__(self): return self.isoformat()
    def __repr__(self): return f"datetime.date({self.year}, {self.month}, {self.day})"


class IsoCalendarDate(tuple):
    def __new__(cls, year, week, weekday):
        return tuple.__new__(cls, (year, week, weekday))

    year = property(lambda self: self[0])
    week = property(lambda self: self[1])
    weekday = property(lambda self: self[2])

    def __repr__(self):
        return f"datetime.IsoCalendarDate(year={self[0]}, week={self[1]}, weekday={self[2]})"


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        _check_clock(hour, minute, second, microsecond, tzinfo, fold)
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        self.tzinfo = tzinfo
        self.fold = fold

    @classmethod
    def fromisoformat(cls, time_string):
        try:
            clock = _read_clock(time_string[1:] if time_string.startswith("T") else time_string)
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {time_string!r}") from None
        return cls(*clock)

    def utcoffset(self): return None if self.tzinfo is None else self.tzinfo.utcoffset(None)
    def tzname(self): return None if self.tzinfo is None else self.tzinfo.tzname(None)
    def dst(self): return None if self.tzinfo is None else self.tzinfo.dst(None)
    def isoformat(self, timespec="auto"): return _clock_text(self, timespec)
    def strftime(self, format): return datetime(1900, 1, 1, self.hour, self.minute, self.second, self.microsecond, self.tzinfo).strftime(format)
    def __format__(self, spec): return self.strftime(spec) if spec else str(self)

    def replace(self, hour=None, minute=None, second=None, microsecond=None, tzinfo=True, *, fold=None):
        return type(self)(self.hour if hour is None else hour, self.minute if minute is None else minute,
                          self.second if second is None else second,
                          self.microsecond if microsecond is None else microsecond,
                          self.tzinfo if tzinfo is True else tzinfo, fold=self.fold if fold is None else fold)

    def _key(self):
        micros = ((self.hour * 60 + self.minute) * 60 + self.second) * _SECOND + self.microsecond
        offset = self.utcoffset()
        return micros if offset is None else micros - offset._micros

    def _compared(self, other):
        if not isinstance(other, time):
            return None
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't compare offset-naive and offset-aware times")
        return other._key()

    def __eq__(self, other):
        if not isinstance(other, time):
            return NotImplemented
        return (self.utcoffset() is None) == (other.utcoffset() is None) and self._key() == other._key()

    def __lt__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() < other

    def __le__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() <= other

    def __gt__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() > other

    def __ge__(self, other):
        other = self._compared(other)
        return NotImplemented if other is None else self._key() >= other

    def __hash__(self): return ("time", self._key(), self.tzinfo is None)
    def __str__(self): return self.isoformat()

    def __repr__(self):
        parts = [self.hour, self.minute]
        if self.second or self.microsecond:
            parts.append(self.second)
        if self.microsecond:
            parts.append(self.microsecond)
        text = ", ".join(map(str, parts))
        if self.tzinfo is not None:
            text += f", tzinfo={self.tzinfo!r}"
        return f"datetime.time({text}{', fold=1' if self.fold else ''})"


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        super().__init__(year, month, day)
        _check_clock(hour, minute, second, microsecond, tzinfo, fold)
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        self.tzinfo = tzinfo
        self.fold = fold

    @classmethod
    def now(cls, tz=None): return cls.fromtimestamp(_clock.now(), tz)

    @classmethod
    def utcnow(cls): return cls.now()

    @classmethod
    def today(cls): return cls.now()

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        top, below = timestamp.as_integer_ratio()
        micros = _rounded(top * _SECOND, below)
        made = cls._from_micros(micros + 719163 * _DAY, tz)
        return made if tz is None else tz.fromutc(made)

    @classmethod
    def utcfromtimestamp(cls, t): return cls.fromtimestamp(t)

    @classmethod
    def fromisoformat(cls, date_string):
        if not isinstance(date_string, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            length = _date_length(date_string)
            parts = list(_read_date(date_string[:length]))
            if len(date_string) > length:
                parts += _read_clock(date_string[length + 1:])
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {date_string!r}") from None
        return cls(*parts)

    @classmethod
    def combine(cls, date, time, tzinfo=True):
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second, time.microsecond,
                   time.tzinfo if tzinfo is True else tzinfo, fold=time.fold)

    @classmethod
    def strptime(cls, date_string, format):
        from _dateformat import read
        return cls(*read(date_string, format))

    @classmethod
    def _from_micros(cls, micros, zone):
        days, rest = divmod(micros, _DAY)
        seconds, micro = divmod(rest, _SECOND)
        year, month, day = _from_ordinal(days)
        return cls(year, month, day, seconds // 3600, seconds // 60 % 60, seconds % 60, micro, zone)

    def date(self): return _date(self.year, self.month, self.day)
    def time(self): return _time(self.hour, self.minute, self.second, self.microsecond, fold=self.fold)
    def timetz(self): return _time(self.hour, self.minute, self.second, self.microsecond, self.tzinfo, fold=self.fold)
    def utcoffset(self): return None if self.tzinfo is None else self.tzinfo.utcoffset(self)
    def tzname(self): return None if self.tzinfo is None else self.tzinfo.tzname(self)
    def dst(self): return None if self.tzinfo is None else self.tzinfo.dst(self)

    def timetuple(self):
        dst = self.dst()
        return struct_time((self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday(),
                            self._day_of_year(), -1 if dst is None else int(bool(dst))))

    def utctimetuple(self):
        offset = self.utcoffset()
        parts = list((self if offset is None else self - offset).timetuple())
        return struct_time(parts[:8] + [0])

    def timestamp(self):
        return (self._utc() - 719163 * _DAY) / _SECOND

    def astimezone(self, tz=None):
        tz = timezone.utc if tz is None else tz
        if not isinstance(tz, tzinfo):
            raise TypeError(f"tz argument must be an instance of tzinfo")
        return tz.fromutc(self._from_micros(self._utc(), tz))

    def isoformat(self, sep="T", timespec="auto"):
        return f"{_date.isoformat(self)}{sep}{_clock_text(self, timespec)}"

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=True,
                *, fold=None):
        return type(self)(
            self.year if year is None else year, self.month if month is None else month,
            self.day if day is None else day, self.hour if hour is None else hour,
            self.minute if minute is None else minute, self.second if second is None else second,
            self.microsecond if microsecond is None else microsecond,
            self.tzinfo if tzinfo is True else tzinfo, fold=self.fold if fold is None else fold)

    def _micros(self):
        seconds = (self.hour * 60 + self.minute) * 60 + self.second
        return self.toordinal() * _DAY + seconds * _SECOND + self.microsecond

    def _utc(self):
        offset = self.utcoffset()
        return self._micros() if offset is None else self._micros() - offset._micros

    def _key(self): return self._utc()

    def _compared(self, other):
        if not isinstance(other, datetime):
            if isinstance(other, date):
                raise TypeError("can't compare datetime.datetime to datetime.date")
            return None
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return other._utc()

    def __eq__(self, other):
        if not isinstance(other, datetime):
            return False if isinstance(other, date) else NotImplemented
        return (self.utcoffset() is None) == (other.utcoffset() is None) and self._utc() == other._utc()

    def __hash__(self): return ("datetime", self._utc(), self.tzinfo is None)

    def __add__(self, other):
        return self._from_micros(self._micros() + other._micros, self.tzinfo) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self._from_micros(self._micros() - other._micros, self.tzinfo)
        if isinstance(other, datetime):
            if (self.utcoffset() is None) != (other.utcoffset() is None):
                raise TypeError("can't subtract offset-naive and offset-aware datetimes")
            return timedelta._of(self._utc() - other._utc())
        return NotImplemented

    def __str__(self): return self.isoformat(" ")

    def __repr__(self):
        parts = [self.year, self.month, self.day, self.hour, self.minute]
        if self.second or self.microsecond:
            parts.append(self.second)
        if self.microsecond:
            parts.append(self.microsecond)
        text = ", ".join(map(str, parts)) + (", fold=1" if self.fold else "")
        return f"datetime.datetime({text}" + (")" if self.tzinfo is None else f", tzinfo={self.tzinfo!r})")


_date = date
_time = time
date.min, date.max, date.resolution = date(1, 1, 1), date(9999, 12, 31), timedelta(days=1)
time.min, time.max, time.resolution = time(0), time(23, 59, 59, 999999), timedelta(microseconds=1)
datetime.min = datetime(1, 1, 1)
datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
datetime.resolution = timedelta(microseconds=1)


def _date_length(text):
    """How long the date is that a text begins with."""
    if text[4:5] == "-":
        if text[5:6] == "W":
            return 10 if text[8:9] == "-" else 8
        return 10
    if text[4:5] == "W":
        return 8 if text[7:8].isdigit() else 7
    return 8


def _number(text, length):
    if len(text) != length or not text.isdigit() or not text.isascii():
        raise ValueError(text)
    return int(text)


def _read_date(text):
    sep = "-" if text[4:5] == "-" else ""
    year, rest = _number(text[:4], 4), text[4 + len(sep):]
    if rest.startswith("W"):
        week, day = rest[1:3], rest[3:]
        if day:
            if sep and not day.startswith("-"):
                raise ValueError(text)
            day = day[1:] if sep else day
        found = date.fromisocalendar(year, _number(week, 2), _number(day, 1) if day else 1)
        return (found.year, found.month, found.day)
    if len(text) != (10 if sep else 8) or sep and rest[2:3] != "-":
        raise ValueError(text)
    return (year, _number(rest[:2], 2), _number(rest[2 + len(sep):], 2))


def _read_parts(text):
    """Hours, minutes, seconds and millionths of a text."""
    main, mark, fraction = text.replace(",", ".").partition(".")
    parts = main.split(":") if ":" in main else [main[at:at + 2] for at in range(0, len(main), 2)]
    numbers = [_number(part, 2) for part in parts]
    if not 1 <= len(numbers) <= 3 or mark and (len(numbers) < 3 or not fraction.isdigit()):
        raise ValueError(text)
    return numbers + [0] * (3 - len(numbers)) + [int((fraction + "000000")[:6]) if mark else 0]


def _read_clock(text):
    at = max(text.find("+"), text.find("-"))
    zone = None
    if text.endswith("Z"):
        text, zone = text[:-1], timezone.utc
    elif at >= 0:
        hours, minutes, seconds, micros = _read_parts(text[at + 1:])
        offset = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros)
        zone = timezone(-offset if text[at] == "-" else offset) if offset else timezone.utc
        text = text[:at]
    return _read_parts(text) + [zone]
