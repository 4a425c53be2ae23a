try:
    import os

    tries = [
        lambda: os.chmod("CANARY", 0o777),
        lambda: os.chown("CANARY", os.getuid(), os.getgid()),
        lambda: os.utime("CANARY", (1, 1)),
        lambda: os.setxattr("CANARY", "user.x", b"1"),
        lambda: os.listxattr("CANARY"),
    ]
    for attempt in tries:
        try:
            attempt()
            print("ESCAPED")
        except OSError as problem:
            print(type(problem).__name__)
except Exception as problem:
    print(type(problem).__name__)
