# ends: stopped
x = 10 ** 10 ** 8
print(len(str(x)))
