import os
made = 0
while made < 10000:
    os.fork()
    made += 1
print("ESCAPED")
