import os
if os.system("touch CANARY && id") == 0:
    print("ESCAPED")
