try:
    open("CANARY", "w").write("dead")
    print("ESCAPED")
except Exception as problem:
    print(type(problem).__name__)
