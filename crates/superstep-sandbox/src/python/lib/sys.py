argv = ["program.py"]
version = "3.12 (superstep)"
version_info = (3, 12, 0)
maxsize = 9223372036854775807
platform = "superstep"


def exit(code=None):
    raise SystemExit(code)


def getrecursionlimit():
    return 1000


def setrecursionlimit(limit):
    pass


class _Stream:
    def write(self, text):
        print(text, end="")
        return len(text)

    def flush(self):
        pass


stdout = _Stream()
stderr = _Stream()
