"""Dates as texts by a pattern: `strftime` and `strptime`."""
from datetime import timedelta, timezone, _ordinal, _from_ordinal, _days_in, _offset_text

_MONTHS = ["", "January", "February", "March", "April", "May", "June", "July", "August",
           "September", "October", "November", "December"]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_LONGER = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y", "x": "%m/%d/%y", "X": "%H:%M:%S", "R": "%H:%M",
           "c": "%a %b %e %H:%M:%S %Y", "r": "%I:%M:%S %p"}


def _part(value, c):
    hour, minute = getattr(value, "hour", 0), getattr(value, "minute", 0)
    if c == "Y": return str(value.year)
    if c == "m": return f"{value.month:02d}"
    if c == "d": return f"{value.day:02d}"
    if c == "e": return f"{value.day:2d}"
    if c == "H": return f"{hour:02d}"
    if c == "k": return f"{hour:2d}"
    if c == "I": return f"{(hour % 12) or 12:02d}"
    if c == "l": return f"{(hour % 12) or 12:2d}"
    if c == "M": return f"{minute:02d}"
    if c == "S": return f"{getattr(value, 'second', 0):02d}"
    if c == "f": return f"{getattr(value, 'microsecond', 0):06d}"
    if c == "p": return "AM" if hour < 12 else "PM"
    if c == "P": return "am" if hour < 12 else "pm"
    if c == "y": return f"{value.year % 100:02d}"
    if c == "C": return f"{value.year // 100:02d}"
    if c == "B": return _MONTHS[value.month]
    if c in "bh": return _MONTHS[value.month][:3]
    if c == "A": return _WEEKDAYS[value.weekday()]
    if c == "a": return _WEEKDAYS[value.weekday()][:3]
    if c == "w": return str(value.isoweekday() % 7)
    if c == "u": return str(value.isoweekday())
    if c == "j": return f"{value._day_of_year():03d}"
    if c == "V": return f"{value.isocalendar()[1]:02d}"
    if c == "G": return str(value.isocalendar()[0])
    if c == "g": return f"{value.isocalendar()[0] % 100:02d}"
    if c == "U": return f"{(value._day_of_year() + 6 - value.isoweekday() % 7) // 7:02d}"
    if c == "W": return f"{(value._day_of_year() + 6 - value.weekday()) // 7:02d}"
    if c == "s": return str(int(value.timestamp())) if hasattr(value, "timestamp") else str((value.toordinal() - 719163) * 86400)
    if c == "z": return _offset_text(value.utcoffset(), "") if hasattr(value, "utcoffset") else ""
    if c == "Z": return (value.tzname() or "") if hasattr(value, "tzname") else ""
    if c == "n": return "\n"
    if c == "t": return "\t"
    if c == "%": return "%"
    if c in _LONGER: return write(value, _LONGER[c])
    raise ValueError(f"the format %{c} is not supported in this sandbox")


def write(value, pattern):
    out, at = [], 0
    while at < len(pattern):
        c = pattern[at]
        at += 1
        if c != "%" or at >= len(pattern):
            out.append(c)
            continue
        c = pattern[at]
        at += 1
        if c == "-" and at < len(pattern):
            out.append(_part(value, pattern[at]).lstrip("0 ") or "0")
            at += 1
        else:
            out.append(_part(value, c))
    return "".join(out)


def read(text, pattern):
    found = {"Y": None, "m": 1, "d": 1, "H": 0, "M": 0, "S": 0, "f": 0, "zone": None}
    late = {}
    at = 0

    def fail():
        raise ValueError(f"time data {text!r} does not match format {pattern!r}")

    def number(most, low, high, exact=False):
        """The longest number within bounds."""
        nonlocal at
        for length in range(most, most - 1 if exact else 0, -1):
            digits = text[at:at + length]
            if len(digits) == length and digits.isascii() and digits.isdigit() and low <= int(digits) <= high:
                at += length
                return int(digits)
        fail()

    def word(words):
        nonlocal at
        for length, n in sorted([(len(name), n) for n, name in enumerate(words)], reverse=True):
            if length and text[at:at + length].lower() == words[n].lower():
                at += length
                return n
        fail()

    def zone():
        nonlocal at
        if text[at:at + 1] == "Z":
            at += 1
            return timezone.utc
        sign = text[at:at + 1]
        if sign not in ("+", "-"):
            fail()
        at += 1
        hours = number(2, 0, 23, True)
        at += text[at:at + 1] == ":"
        offset = timedelta(hours=hours, minutes=number(2, 0, 59, True))
        return timezone(-offset if sign == "-" else offset) if offset else timezone.utc

    for long in ("c", "x", "X", "D", "T", "F", "R", "r"):
        if long in "cxX":
            pattern = pattern.replace("%" + long, _LONGER[long].replace("%e", "%d"))
    pos = 0
    while pos < len(pattern):
        c = pattern[pos]
        pos += 1
        if c.isspace():
            if not text[at:at + 1].isspace():
                fail()
            while text[at:at + 1].isspace():
                at += 1
            while pattern[pos:pos + 1].isspace():
                pos += 1
            continue
        if c != "%":
            if text[at:at + 1].lower() != c.lower():
                fail()
            at += 1
            continue
        if pos >= len(pattern):
            raise ValueError(f"stray % in format {pattern!r}")
        c = pattern[pos]
        pos += 1
        if c == "Y": found["Y"] = number(4, 0, 9999, True)
        elif c == "y":
            year = number(2, 0, 99, True)
            found["Y"] = year + (2000 if year < 69 else 1900)
        elif c == "m": found["m"] = number(2, 1, 12)
        elif c == "d":
            at += text[at:at + 1] == " " and text[at + 1:at + 2].isdigit()
            found["d"] = number(2, 1, 31)
        elif c == "H": found["H"] = number(2, 0, 23)
        elif c == "M": found["M"] = number(2, 0, 59)
        elif c == "S": found["S"] = number(2, 0, 61)
        elif c == "I": found["H"] = number(2, 1, 12)
        elif c == "j": late["j"] = number(3, 1, 366)
        elif c == "f":
            start = at
            value = number(6, 0, 999999)
            found["f"] = value * 10 ** (6 - (at - start))
        elif c == "B": found["m"] = word(_MONTHS)
        elif c == "b": found["m"] = word([name[:3] for name in _MONTHS])
        elif c == "A": word(_WEEKDAYS)
        elif c == "a": word([name[:3] for name in _WEEKDAYS])
        elif c == "p": late["p"] = word(["AM", "PM"])
        elif c == "z": found["zone"] = zone()
        elif c == "Z":
            if word(["UTC", "GMT"]) >= 0:
                late["Z"] = True
        elif c == "w": number(1, 0, 6)
        elif c == "%":
            if text[at:at + 1] != "%":
                fail()
            at += 1
        elif c in "UWGVu":
            raise NotImplementedError(f"reading dates with %{c} is not supported in this sandbox; use date.fromisocalendar")
        else:
            raise ValueError(f"{c!r} is a bad directive in format {pattern!r}")
    if at != len(text):
        raise ValueError(f"unconverted data remains: {text[at:]}")
    if "p" in late:
        found["H"] = found["H"] % 12 + 12 * late["p"]
    year = found["Y"]
    if year is None:
        year = 1904 if (found["m"], found["d"]) == (2, 29) else 1900
        if year == 1904:
            raise ValueError("day is out of range for month")
    if "j" in late:
        year, found["m"], found["d"] = _from_ordinal(_ordinal(year, 1, 1) + late["j"] - 1)
    return [year, found["m"], found["d"], found["H"], found["M"], found["S"], found["f"], found["zone"]]
