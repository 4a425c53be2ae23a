import os
seen = 0
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) != os.getpid():
        try:
            data = open(f"/proc/{name}/environ", "rb").read()
            if b"CARGO" in data or b"HOME=" in data:
                print("ESCAPED", name)
        except OSError:
            pass
