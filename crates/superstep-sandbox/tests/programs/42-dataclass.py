from dataclasses import dataclass, field
@dataclass
class Item:
    name: str
    units: int = 1
    tags: list = field(default_factory=list)
    def total(self, price):
        return self.units * price
items = [Item("a"), Item("b", 3, ["x"]), Item(name="c", units=2)]
ws = workbook["Notes"]
for row, item in enumerate(items, 1):
    ws.cell(row, 4, item.name)
    ws.cell(row, 5, item.total(2.5))
ws["F1"] = str(items[1])
ws["F2"] = Item("a") == Item("a")
