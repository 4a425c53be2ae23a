ws = workbook["Notes"]
text = "  The quick brown Fox  "
values = [text.strip().title(), text.split()[-2], text.replace("quick", "slow").strip(), "-".join("abc"), "a,b,,c".split(","),
          "Fox".lower() in text.lower(), text.strip()[::-1], "ab" * 3, "x=1;y=2".partition(";")[2], "straße".upper(), "7".zfill(3), "a1b2".isalnum()]
for row, value in enumerate(values, 1):
    ws.cell(row, 6, str(value))
