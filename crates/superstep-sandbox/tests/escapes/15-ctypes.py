import ctypes
libc = ctypes.CDLL(None)
if libc.socket(2, 1, 0) >= 0:
    print("ESCAPED")
