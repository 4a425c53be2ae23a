import os
block = b"x" * (1 << 20)
with open("big", "wb") as file:
    for _ in range(2000):
        file.write(block)
print("ESCAPED")
