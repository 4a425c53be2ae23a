class Money:
    def __init__(self, cents):
        self.cents = cents
    def __add__(self, other):
        return Money(self.cents + (other.cents if isinstance(other, Money) else other))
    __radd__ = __add__
    def __eq__(self, other):
        return self.cents == other.cents
    def __lt__(self, other):
        return self.cents < other.cents
    def __hash__(self):
        return hash(self.cents)
    def __str__(self):
        return f"{self.cents / 100:.2f}"
    def __getitem__(self, key):
        return str(self)[key]
    def __len__(self):
        return len(str(self))
    def __bool__(self):
        return self.cents != 0
    def __call__(self, x):
        return self.cents * x
ws = workbook["Notes"]
total = sum([Money(150), Money(250)])
ws["D1"] = str(total)
ws["D2"] = str(max(Money(3), Money(9)))
ws["D3"] = len({Money(1), Money(1), Money(2)})
ws["D4"] = total[0] + str(len(total)) + str(bool(Money(0))) + str(total(2))
