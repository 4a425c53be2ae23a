# ends: stopped
s = "x" * (10 * 1024 ** 3)
