import ctypes
if ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    print("ESCAPED")
