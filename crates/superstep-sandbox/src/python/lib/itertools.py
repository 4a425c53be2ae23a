def count(start=0, step=1):
    while True:
        yield start
        start += step


def cycle(iterable):
    items = list(iterable)
    while items:
        for item in items:
            yield item


def repeat(value, times=None):
    if times is None:
        while True:
            yield value
    for _ in range(times):
        yield value


def chain(*iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


def _from_iterable(iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


chain.from_iterable = _from_iterable


def islice(iterable, *args):
    part = slice(*args)
    start, stop, step = part.start or 0, part.stop, part.step or 1
    at = 0
    wanted = start
    if stop is not None and start >= stop:
        return
    for item in iterable:
        if at == wanted:
            yield item
            wanted += step
        at += 1
        if stop is not None and (at >= stop or wanted >= stop):
            return


def accumulate(iterable, func=None, initial=None):
    items = iter(iterable)
    total = initial
    if initial is None:
        for item in items:
            total = item
            break
        else:
            return
    yield total
    for item in items:
        total = total + item if func is None else func(total, item)
        yield total


def groupby(iterable, key=None):
    group = []
    last = None
    for item in iterable:
        by = item if key is None else key(item)
        if group and by != last:
            yield (last, iter(group))
            group = []
        last = by
        group.append(item)
    if group:
        yield (last, iter(group))


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    drops = True
    for item in iterable:
        if drops and predicate(item):
            continue
        drops = False
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data, selectors):
    for item, wanted in zip(data, selectors):
        if wanted:
            yield item


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def zip_longest(*iterables, fillvalue=None):
    iterators = [iter(it) for it in iterables]
    ended = object()
    while True:
        row = [next(it, ended) for it in iterators]
        if all(item is ended for item in row):
            return
        yield tuple([fillvalue if item is ended else item for item in row])


def pairwise(iterable):
    items = iter(iterable)
    for last in items:
        break
    else:
        return
    for item in items:
        yield (last, item)
        last = item


def batched(iterable, n):
    batch = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def tee(iterable, n=2):
    items = list(iterable)
    return tuple([iter(items) for _ in range(n)])


def product(*iterables, repeat=1):
    pools = [tuple(it) for it in iterables] * repeat
    if not pools:
        yield ()
        return
    for head in pools[0]:
        for tail in product(*pools[1:]):
            yield (head,) + tail


def permutations(iterable, r=None):
    pool = tuple(iterable)
    r = len(pool) if r is None else r
    if r == 0:
        yield ()
        return
    for at in range(len(pool)):
        for tail in permutations(pool[:at] + pool[at + 1:], r - 1):
            yield (pool[at],) + tail


def combinations(iterable, r):
    pool = tuple(iterable)
    if r == 0:
        yield ()
        return
    for at in range(len(pool)):
        for tail in combinations(pool[at + 1:], r - 1):
            yield (pool[at],) + tail


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    if r == 0:
        yield ()
        return
    for at in range(len(pool)):
        for tail in combinations_with_replacement(pool[at:], r - 1):
            yield (pool[at],) + tail
