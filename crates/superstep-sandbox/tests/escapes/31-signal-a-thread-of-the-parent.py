import ctypes
import os
libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
# 234 is tgkill on x86-64, 131 on arm64; signal 0 only asks whether it would be permitted.
for number in (234, 131):
    if libc.syscall(number, parent, parent, 0) == 0:
        print("ESCAPED")
