import _clock


def time():
    return _clock.now()


perf_counter = monotonic = time


def sleep(seconds):
    pass
