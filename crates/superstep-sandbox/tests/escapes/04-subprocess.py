import subprocess
print("ESCAPED", subprocess.check_output(["/usr/bin/id"]))
