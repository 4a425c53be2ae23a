import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.shmget(0, 4096, 0o1600) >= 0:
    print("ESCAPED")
