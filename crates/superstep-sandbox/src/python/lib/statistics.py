"""Figures of data, exact until the last step."""
import math
from decimal import Decimal
from fractions import Fraction


class StatisticsError(ValueError):
    pass


def _exact(data):
    """The data as integers over one denominator, and the kind of the results."""
    kinds = {type(x) for x in data}
    for kind in (Decimal, Fraction, float, int):
        if any(issubclass(each, kind) for each in kinds):
            break
    if kind is float and any(x != x or x in (math.inf, -math.inf) for x in data):
        raise NotImplementedError("statistics of infinite values are not supported in this sandbox")
    for x in data:
        if not hasattr(x, "as_integer_ratio"):
            raise TypeError(f"can't convert type '{type(x).__name__}' to numerator/denominator")
    ratios = [x.as_integer_ratio() for x in data]
    below = math.lcm(*{each for _, each in ratios}) if ratios else 1
    return [top * (below // each) for top, each in ratios], below, kind


def _as(kind, top, below):
    if kind is int and top % below == 0:
        return top // below
    if kind is Decimal:
        return Decimal(top) / Decimal(below)
    return Fraction(top, below) if kind is Fraction else top / below


def _some(data, name):
    data = list(data)
    if not data:
        raise StatisticsError(f"{name} requires at least one data point")
    return data


def mean(data):
    data = _some(data, "mean")
    values, below, kind = _exact(data)
    return _as(kind, sum(values), below * len(data))


def fmean(data, weights=None):
    data = _some(data, "fmean")
    if weights is None:
        return math.fsum(data) / len(data)
    weights = list(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total = math.fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return math.fsum([x * w for x, w in zip(data, weights)]) / total


def harmonic_mean(data, weights=None):
    data = _some(data, "harmonic_mean")
    if weights is not None:
        raise NotImplementedError("weights of harmonic_mean are not supported in this sandbox")
    if any(x < 0 for x in data):
        raise StatisticsError("harmonic mean does not support negative values")
    if 0 in data:
        return 0
    if len(data) == 1:
        return data[0]
    values, below, kind = _exact([1 / x for x in data])
    return _as(kind, len(data) * below, sum(values))


def geometric_mean(data):
    data = _some(data, "geometric_mean")
    try:
        return math.exp(fmean([math.log(x) for x in data]))
    except ValueError:
        raise StatisticsError("geometric mean requires a non-empty dataset containing positive numbers") from None


def _sorted(data, name="median"):
    data = sorted(data)
    if not data:
        raise StatisticsError(f"no {name} for empty data")
    return data


def median(data):
    data = _sorted(data)
    half = len(data) // 2
    return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2


def median_low(data):
    data = _sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted(data)
    return data[len(data) // 2]


def _counts(data):
    counts = {}
    for item in data:
        counts[item] = counts.get(item, 0) + 1
    return counts


def mode(data):
    counts = _counts(data)
    if not counts:
        raise StatisticsError("no mode for empty data")
    return max(counts, key=lambda item: counts[item])


def multimode(data):
    counts = _counts(data)
    most = max(counts.values(), default=0)
    return [item for item, count in counts.items() if count == most]


def _spread(data, given, rest, name):
    """The mean square distance as two integers, and the kind of the results."""
    data = list(data)
    if len(data) < 1 + rest:
        raise StatisticsError(f"{name} requires at least {'two data points' if rest else 'one data point'}")
    values, below, kind = _exact(data if given is None else data + [given])
    count = len(data)
    if given is not None:
        middle = values.pop()
        return sum([(value - middle) ** 2 for value in values]), below ** 2 * (count - rest), kind
    squares = count * sum([value * value for value in values]) - sum(values) ** 2
    return squares, below ** 2 * count * (count - rest), kind


def _root(top, below):
    """The float nearest to the root of a quotient."""
    shift = max(0, 128 - (top.bit_length() - below.bit_length())) // 2 + 1
    whole = (top << 2 * shift) // below
    root = math.isqrt(whole)
    # A bit more than a float has says on which side of the middle the root is.
    root = 2 * root + (root * root * below != top << 2 * shift)
    return root / (1 << shift + 1)


def variance(data, xbar=None):
    top, below, kind = _spread(data, xbar, 1, "variance")
    return _as(kind, top, below)


def pvariance(data, mu=None):
    top, below, kind = _spread(data, mu, 0, "pvariance")
    return _as(kind, top, below)


def stdev(data, xbar=None):
    top, below, kind = _spread(data, xbar, 1, "stdev")
    return (Decimal(top) / Decimal(below)).sqrt() if kind is Decimal else _root(top, below)


def pstdev(data, mu=None):
    top, below, kind = _spread(data, mu, 0, "pstdev")
    return (Decimal(top) / Decimal(below)).sqrt() if kind is Decimal else _root(top, below)


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    count = len(data)
    if count < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    for i in range(1, n):
        if method == "inclusive":
            j, delta = divmod(i * (count - 1), n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        elif method == "exclusive":
            j = min(max(i * (count + 1) // n, 1), count - 1)
            delta = i * (count + 1) - j * n
            result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
        else:
            raise ValueError(f"Unknown method: {method!r}")
    return result


def _pairs(x, y, name):
    x, y = list(x), list(y)
    if len(x) != len(y):
        raise StatisticsError(f"{name} requires that both inputs have same number of data points")
    if len(x) < 2:
        raise StatisticsError(f"{name} requires at least two data points")
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return ([a - mx for a in x], [b - my for b in y], mx, my)


def covariance(x, y, /):
    x, y, _, _ = _pairs(x, y, "covariance")
    return math.fsum([a * b for a, b in zip(x, y)]) / (len(x) - 1)


def correlation(x, y, /):
    x, y, _, _ = _pairs(x, y, "correlation")
    below = math.sqrt(math.fsum([a ** 2.0 for a in x]) * math.fsum([b ** 2.0 for b in y]))
    if not below:
        raise StatisticsError("at least one of the inputs is constant")
    return math.fsum([a * b for a, b in zip(x, y)]) / below


class LinearRegression(tuple):
    slope = property(lambda self: self[0])
    intercept = property(lambda self: self[1])

    def __repr__(self):
        return f"LinearRegression(slope={self[0]!r}, intercept={self[1]!r})"


def linear_regression(x, y, /, *, proportional=False):
    if proportional:
        raise NotImplementedError("proportional is not supported in this sandbox")
    x, y, mx, my = _pairs(x, y, "linear regression")
    below = math.fsum([a ** 2.0 for a in x])
    if not below:
        raise StatisticsError("x is constant")
    slope = math.fsum([a * b for a, b in zip(x, y)]) / below
    return LinearRegression((slope, my - slope * mx))
