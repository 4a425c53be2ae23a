import _clock

MINYEAR = 1
MAXYEAR = 9999
_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
_MONTHS = ["", "January", "February", "March", "April", "May", "June", "July", "August",
           "September", "October", "November", "December"]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


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


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        total = (days + weeks * 7) * 86400 + seconds + minutes * 60 + hours * 3600
        micro = microseconds + milliseconds * 1000
        if isinstance(total, float) or isinstance(micro, float):
            whole = int(total // 1)
            micro = int(round((total - whole) * 1000000 + micro))
            total = whole
        extra, micro = divmod(micro, 1000000)
        self.days, self.seconds = divmod(int(total) + extra, 86400)
        self.microseconds = micro

    def total_seconds(self):
        return self.days * 86400 + self.seconds + self.microseconds / 1000000

    def _micros(self):
        return (self.days * 86400 + self.seconds) * 1000000 + self.microseconds

    def __add__(self, other):
        if isinstance(other, timedelta):
            return timedelta(microseconds=self._micros() + other._micros())
        return NotImplemented

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return timedelta(microseconds=self._micros() - other._micros())
        return NotImplemented

    def __neg__(self):
        return timedelta(microseconds=-self._micros())

    def __abs__(self):
        return timedelta(microseconds=abs(self._micros()))

    def __mul__(self, factor):
        return timedelta(microseconds=int(round(self._micros() * factor)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._micros() / other._micros()
        return timedelta(microseconds=int(round(self._micros() / other)))

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._micros() // other._micros()
        return timedelta(microseconds=self._micros() // other)

    def __mod__(self, other):
        return timedelta(microseconds=self._micros() % other._micros())

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._micros() == other._micros()

    def __lt__(self, other): return self._micros() < other._micros()
    def __le__(self, other): return self._micros() <= other._micros()
    def __gt__(self, other): return self._micros() > other._micros()
    def __ge__(self, other): return self._micros() >= other._micros()
    def __bool__(self): return self._micros() != 0
    def __hash__(self): return hash(("timedelta", self._micros()))

    def __repr__(self):
        return f"datetime.timedelta(days={self.days}, seconds={self.seconds})"

    def __str__(self):
        hours, rest = divmod(self.seconds, 3600)
        minutes, seconds = divmod(rest, 60)
        text = f"{hours}:{minutes:02d}:{seconds:02d}"
        if self.microseconds:
            text += f".{self.microseconds:06d}"
        if self.days:
            text = f"{self.days} day{'' if abs(self.days) == 1 else 's'}, " + text
        return text


def _format(value, text):
    out = []
    at = 0
    hour = getattr(value, "hour", 0)
    while at < len(text):
        c = text[at]
        if c != "%" or at + 1 >= len(text):
            out.append(c)
            at += 1
            continue
        c = text[at + 1]
        bare = c == "-" and at + 2 < len(text)
        if bare:
            at += 1
            c = text[at + 1]
        at += 2
        if c == "Y": part = f"{value.year:04d}"
        elif c == "m": part = f"{value.month:02d}"
        elif c == "d": part = f"{value.day:02d}"
        elif c == "e": part = f"{value.day:2d}"
        elif c == "H": part = f"{hour:02d}"
        elif c == "I": part = f"{(hour % 12) or 12:02d}"
        elif c == "M": part = f"{getattr(value, 'minute', 0):02d}"
        elif c == "S": part = f"{getattr(value, 'second', 0):02d}"
        elif c == "f": part = f"{getattr(value, 'microsecond', 0):06d}"
        elif c == "p": part = "AM" if hour < 12 else "PM"
        elif c == "y": part = f"{value.year % 100:02d}"
        elif c == "B": part = _MONTHS[value.month]
        elif c in "bh": part = _MONTHS[value.month][:3]
        elif c == "A": part = _WEEKDAYS[value.weekday()]
        elif c == "a": part = _WEEKDAYS[value.weekday()][:3]
        elif c == "w": part = str(value.isoweekday() % 7)
        elif c == "u": part = str(value.isoweekday())
        elif c == "j": part = f"{value.timetuple_yday():03d}"
        elif c == "V": part = f"{value.isocalendar()[1]:02d}"
        elif c == "G": part = str(value.isocalendar()[0])
        elif c == "U": part = f"{(value.timetuple_yday() + 6 - value.isoweekday() % 7) // 7:02d}"
        elif c == "W": part = f"{(value.timetuple_yday() + 6 - value.weekday()) // 7:02d}"
        elif c == "F": part = _format(value, "%Y-%m-%d")
        elif c == "T": part = _format(value, "%H:%M:%S")
        elif c == "D": part = _format(value, "%m/%d/%y")
        elif c == "x": part = _format(value, "%m/%d/%y")
        elif c == "X": part = _format(value, "%H:%M:%S")
        elif c == "c": part = _format(value, "%a %b %e %H:%M:%S %Y")
        elif c in "zZ": part = ""
        elif c == "%": part = "%"
        else:
            raise ValueError(f"the format %{c} is not supported")
        out.append((part.lstrip("0") or "0") if bare else part)
    return "".join(out)


class date:
    def __init__(self, year, month, day):
        for name, value in (("year", year), ("month", month), ("day", day)):
            if not isinstance(value, int):
                raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
        if not 1 <= year <= 9999:
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
    def fromtimestamp(cls, seconds):
        year, month, day = _from_ordinal(719163 + int(seconds // 86400))
        return cls(year, month, day)

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def fromisoformat(cls, text):
        try:
            return cls(int(text[0:4]), int(text[5:7]), int(text[8:10]))
        except ValueError:
            raise ValueError(f"Invalid isoformat string: {text!r}") from None

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def isocalendar(self):
        thursday = _from_ordinal(self.toordinal() - self.weekday() + 3)
        week = (_ordinal(*thursday) - _ordinal(thursday[0], 1, 1)) // 7 + 1
        return (thursday[0], week, self.isoweekday())

    def timetuple_yday(self):
        return self.toordinal() - _ordinal(self.year, 1, 1) + 1

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def strftime(self, text):
        return _format(self, text)

    def __format__(self, text):
        return _format(self, text) if text else str(self)

    def replace(self, year=None, month=None, day=None):
        return date(self.year if year is None else year, self.month if month is None else month,
                    self.day if day is None else day)

    def _key(self):
        return (self.year, self.month, self.day)

    def _other(self, other):
        if isinstance(other, datetime) != isinstance(self, datetime) or not isinstance(other, date):
            raise TypeError(f"can't compare {type(self).__name__} to {type(other).__name__}")
        return other._key()

    def __eq__(self, other):
        return isinstance(other, date) and isinstance(other, datetime) == isinstance(self, datetime) and self._key() == other._key()

    def __lt__(self, other): return self._key() < self._other(other)
    def __le__(self, other): return self._key() <= self._other(other)
    def __gt__(self, other): return self._key() > self._other(other)
    def __ge__(self, other): return self._key() >= self._other(other)
    def __hash__(self): return hash(("date",) + self._key())

    def __add__(self, other):
        if isinstance(other, timedelta):
            return date(*_from_ordinal(self.toordinal() + other.days))
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return date(*_from_ordinal(self.toordinal() - other.days))
        if isinstance(other, date) and not isinstance(other, datetime):
            return timedelta(days=self.toordinal() - other.toordinal())
        return NotImplemented

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        if not 0 <= hour < 24:
            raise ValueError("hour must be in 0..23")
        if not 0 <= minute < 60:
            raise ValueError("minute must be in 0..59")
        if not 0 <= second < 60:
            raise ValueError("second must be in 0..59")
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond

    @classmethod
    def fromisoformat(cls, text):
        return cls(*[int(part) for part in text.split(":")])

    def isoformat(self):
        return f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}"

    def strftime(self, text):
        return _format(self, text)

    def __format__(self, text):
        return _format(self, text) if text else str(self)

    def _key(self):
        return (self.hour, self.minute, self.second, self.microsecond)

    def __eq__(self, other): return isinstance(other, time) and self._key() == other._key()
    def __lt__(self, other): return self._key() < other._key()
    def __le__(self, other): return self._key() <= other._key()
    def __gt__(self, other): return self._key() > other._key()
    def __ge__(self, other): return self._key() >= other._key()
    def __hash__(self): return hash(("time",) + self._key())
    def __str__(self): return self.isoformat()
    def __repr__(self): return f"datetime.time({self.hour}, {self.minute})"


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        super().__init__(year, month, day)
        time(hour, minute, second)
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        self.tzinfo = None

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_clock.now())

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def fromtimestamp(cls, seconds, tz=None):
        days, rest = divmod(seconds, 86400)
        year, month, day = _from_ordinal(719163 + int(days))
        whole = int(rest)
        return cls(year, month, day, whole // 3600, whole // 60 % 60, whole % 60, int((rest - whole) * 1000000))

    @classmethod
    def fromisoformat(cls, text):
        day = date.fromisoformat(text)
        if len(text) <= 10:
            return cls(day.year, day.month, day.day)
        clock, _, fraction = text[11:].split("+")[0].rstrip("Z").partition(".")
        parts = [int(part) for part in clock.split(":")]
        while len(parts) < 3:
            parts.append(0)
        return cls(day.year, day.month, day.day, parts[0], parts[1], parts[2], int((fraction + "000000")[:6]) if fraction else 0)

    @classmethod
    def combine(cls, day, clock):
        return cls(day.year, day.month, day.day, clock.hour, clock.minute, clock.second, clock.microsecond)

    @classmethod
    def strptime(cls, text, pattern):
        return _parse(cls, text, pattern)

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def timestamp(self):
        return (self.toordinal() - 719163) * 86400 + self.hour * 3600 + self.minute * 60 + self.second + self.microsecond / 1000000

    def isoformat(self, sep="T", timespec="auto"):
        text = f"{date.isoformat(self)}{sep}{self.hour:02d}:{self.minute:02d}:{self.second:02d}"
        if self.microsecond:
            text += f".{self.microsecond:06d}"
        return text

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=None):
        return datetime(
            self.year if year is None else year, self.month if month is None else month,
            self.day if day is None else day, self.hour if hour is None else hour,
            self.minute if minute is None else minute, self.second if second is None else second,
            self.microsecond if microsecond is None else microsecond)

    def _key(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond)

    def __hash__(self):
        return hash(("datetime",) + self._key())

    def _micros(self):
        return ((self.toordinal() * 86400) + self.hour * 3600 + self.minute * 60 + self.second) * 1000000 + self.microsecond

    def _made(self, micros):
        seconds, micro = divmod(micros, 1000000)
        days, rest = divmod(seconds, 86400)
        year, month, day = _from_ordinal(days)
        return datetime(year, month, day, rest // 3600, rest // 60 % 60, rest % 60, micro)

    def __add__(self, other):
        if isinstance(other, timedelta):
            return self._made(self._micros() + other._micros())
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self._made(self._micros() - other._micros())
        if isinstance(other, datetime):
            return timedelta(microseconds=self._micros() - other._micros())
        return NotImplemented

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        return f"datetime.datetime({self.year}, {self.month}, {self.day}, {self.hour}, {self.minute})"


def _parse(cls, text, pattern):
    found = {"Y": 1900, "m": 1, "d": 1, "H": 0, "M": 0, "S": 0, "f": 0}
    at = 0

    def fail():
        raise ValueError(f"time data {text!r} does not match format {pattern!r}")

    def number(most):
        nonlocal at
        start = at
        while at < len(text) and at - start < most and text[at].isdigit():
            at += 1
        if at == start:
            fail()
        return int(text[start:at])

    def word(words):
        nonlocal at
        for n, name in enumerate(words):
            if name and text[at:at + len(name)].lower() == name.lower():
                at += len(name)
                return n
        fail()

    pos = 0
    pm = None
    while pos < len(pattern):
        c = pattern[pos]
        if c == "%":
            c = pattern[pos + 1]
            pos += 2
            if c == "Y": found["Y"] = number(4)
            elif c == "y":
                year = number(2)
                found["Y"] = year + (2000 if year < 69 else 1900)
            elif c in "mdHMS": found[c] = number(2)
            elif c == "I": found["H"] = number(2)
            elif c == "f":
                start = at
                found["f"] = number(6) * 10 ** (6 - (at - start))
            elif c == "B": found["m"] = word(_MONTHS)
            elif c == "b": found["m"] = word([name[:3] for name in _MONTHS])
            elif c == "A": word(_WEEKDAYS)
            elif c == "a": word([name[:3] for name in _WEEKDAYS])
            elif c == "p": pm = word(["AM", "PM"])
            elif c == "%":
                if text[at:at + 1] != "%":
                    fail()
                at += 1
            else:
                raise ValueError(f"the format %{c} is not supported")
        elif c.isspace():
            pos += 1
            while at < len(text) and text[at].isspace():
                at += 1
        else:
            if text[at:at + 1] != c:
                fail()
            at += 1
            pos += 1
    if at != len(text):
        raise ValueError(f"unconverted data remains: {text[at:]}")
    if pm is not None:
        found["H"] = found["H"] % 12 + (12 if pm else 0)
    return cls(found["Y"], found["m"], found["d"], found["H"], found["M"], found["S"], found["f"])


class timezone:
    utc = None


UTC = None
