import urllib.request
print("ESCAPED", urllib.request.urlopen("http://example.com", timeout=1).status)
