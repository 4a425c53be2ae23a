class Shape:
    def __init__(self, name):
        self.name = name
    def area(self):
        return 0
    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"
class Square(Shape):
    def __init__(self, side):
        super().__init__("square")
        self.side = side
    def area(self):
        return self.side ** 2
    @property
    def double(self):
        return self.side * 2
    @staticmethod
    def unit():
        return Square(1)
    @classmethod
    def of(cls, side):
        return cls(side)
s = Square.of(3)
workbook["Notes"]["D1"] = repr(s)
workbook["Notes"]["D2"] = s.area() + s.double + Square.unit().area()
workbook["Notes"]["D3"] = isinstance(s, Shape)
