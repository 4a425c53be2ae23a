import socket
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
s.settimeout(1)
s.bind(("127.0.0.1", 0))
print("ESCAPED")
