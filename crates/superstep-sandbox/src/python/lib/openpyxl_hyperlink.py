"""Links of cells."""


class Hyperlink:
    def __init__(self, ref=None, location=None, tooltip=None, display=None, id=None, target=None):
        self.ref = ref
        self.location = location
        self.target = target
        self.display = display
        self.tooltip = tooltip

    def _address(self):
        if self.target:
            return self.target + ("#" + self.location if self.location else "")
        return "#" + (self.location or "")

    def __repr__(self):
        return f"<Hyperlink {self.ref} {self._address()}>"
