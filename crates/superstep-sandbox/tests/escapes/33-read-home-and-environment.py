import os
for path in ("~/.bashrc", "~/.ssh", "~/.config", "/root", "/home"):
    try:
        print("ESCAPED", os.listdir(os.path.expanduser(path)))
    except OSError:
        pass
if any(name not in ("LANG", "LC_CTYPE", "PYTHONHASHSEED", "PWD") for name in os.environ):
    print("ESCAPED", sorted(os.environ))
