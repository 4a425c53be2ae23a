import os
os.symlink("/etc/passwd", "output.xlsx")
try:
    print("ESCAPED" if "root" in open("output.xlsx").read() else "")
except OSError:
    pass
