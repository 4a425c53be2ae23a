import math


class StatisticsError(ValueError):
    pass


def _some(data):
    data = list(data)
    if not data:
        raise StatisticsError("no data points")
    return data


def mean(data):
    data = _some(data)
    total = math.fsum(data) if any(isinstance(x, float) for x in data) else sum(data)
    result = total / len(data)
    if all(isinstance(x, int) for x in data) and result == int(result):
        return int(result)
    return result


def fmean(data, weights=None):
    data = _some(data)
    if weights is None:
        return math.fsum(data) / len(data)
    return sum(x * w for x, w in zip(data, weights)) / sum(weights)


def median(data):
    data = sorted(_some(data))
    half = len(data) // 2
    return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2


def median_low(data):
    data = sorted(_some(data))
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(_some(data))
    return data[len(data) // 2]


def mode(data):
    counts = {}
    for item in _some(data):
        counts[item] = counts.get(item, 0) + 1
    return max(counts, key=lambda item: counts[item])


def multimode(data):
    counts = {}
    for item in data:
        counts[item] = counts.get(item, 0) + 1
    most = max(counts.values(), default=0)
    return [item for item, count in counts.items() if count == most]


def _squares(data):
    middle = math.fsum(data) / len(data)
    return math.fsum([(x - middle) ** 2 for x in data])


def variance(data, xbar=None):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _squares(data) / (len(data) - 1)


def pvariance(data, mu=None):
    data = _some(data)
    return _squares(data) / len(data)


def stdev(data, xbar=None):
    return math.sqrt(variance(data))


def pstdev(data, mu=None):
    return math.sqrt(pvariance(data))


def quantiles(data, n=4, method="exclusive"):
    data = sorted(data)
    count = len(data)
    if count < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    if method == "inclusive":
        for i in range(1, n):
            j, delta = divmod(i * (count - 1), n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        return result
    for i in range(1, n):
        j = i * (count + 1) // n
        j = 1 if j < 1 else count - 1 if j > count - 1 else j
        delta = i * (count + 1) - j * n
        result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    return result


def harmonic_mean(data):
    data = _some(data)
    return len(data) / sum(1 / x for x in data)


def geometric_mean(data):
    data = _some(data)
    return math.exp(math.fsum([math.log(x) for x in data]) / len(data))


def correlation(x, y):
    mx, my = fmean(x), fmean(y)
    top = sum((a - mx) * (b - my) for a, b in zip(x, y))
    return top / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))
