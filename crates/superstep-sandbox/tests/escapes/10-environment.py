import os
names = [name for name in os.environ if name not in ("LANG", "PYTHONHASHSEED", "LC_CTYPE", "PWD", "PATH", "SHLVL", "_")]
if names:
    print("ESCAPED", names)
