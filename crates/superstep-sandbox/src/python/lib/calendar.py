from datetime import date

month_name = ["", "January", "February", "March", "April", "May", "June", "July", "August",
              "September", "October", "November", "December"]
month_abbr = ["", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
day_name = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
day_abbr = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def monthrange(year, month):
    days = [31, 29 if isleap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (date(year, month, 1).weekday(), days[month - 1])


def weekday(year, month, day):
    return date(year, month, day).weekday()


MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = range(7)


def leapdays(y1, y2):
    return sum([isleap(year) for year in range(y1, y2)])


def monthcalendar(year, month):
    first, days = monthrange(year, month)
    cells = [0] * first + list(range(1, days + 1))
    cells += [0] * (-len(cells) % 7)
    return [cells[at:at + 7] for at in range(0, len(cells), 7)]


def timegm(tuple):
    days = date(*tuple[:3]).toordinal() - 719163
    return ((days * 24 + tuple[3]) * 60 + tuple[4]) * 60 + tuple[5]


def setfirstweekday(firstweekday):
    raise NotImplementedError("weeks begin on Monday in this sandbox")
