# ends: stopped
x = []
for _ in range(10 ** 7):
    x = [x]
repr(x)
