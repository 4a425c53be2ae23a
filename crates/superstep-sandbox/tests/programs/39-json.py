import json
ws = workbook["Notes"]
data = json.loads('{"a": [1, 2.5, null], "b": {"c": "x\\u00e9"}}')
ws["D1"] = data["b"]["c"]
ws["D2"] = json.dumps(data, sort_keys=True)
ws["D3"] = json.dumps({"n": [True, None]}, indent=1)
