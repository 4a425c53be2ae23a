exec("import os; os.remove('CANARY'); print('ESCAPED')")
