# ends: stopped
kept = []
while True:
    kept.append([0] * 100000)
