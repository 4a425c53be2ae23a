import ctypes
import os
libc = ctypes.CDLL(None, use_errno=True)
# Number 39 of the x32 interface; a kernel without it says 38, the filter says 1.
libc.syscall(0x40000000 + 39)
if os.uname().machine == "x86_64" and ctypes.get_errno() != 1:
    print("ESCAPED", ctypes.get_errno())
