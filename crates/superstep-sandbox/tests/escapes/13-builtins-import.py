module = __builtins__["__import__"]("os") if isinstance(__builtins__, dict) else __builtins__.__import__("os")
module.system("echo dead > CANARY")
