# ends: stopped
while True:
    pass
