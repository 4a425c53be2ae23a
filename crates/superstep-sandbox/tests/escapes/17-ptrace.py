import ctypes
if ctypes.CDLL(None).ptrace(16, 1, 0, 0) == 0:
    print("ESCAPED")
