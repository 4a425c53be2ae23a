try:
    print("ESCAPED" if "root" in open("/etc/passwd").read() else "")
except Exception as problem:
    print(type(problem).__name__)
