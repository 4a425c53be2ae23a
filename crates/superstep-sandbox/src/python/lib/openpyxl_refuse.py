"""What this sandbox does not support is refused by its name, so that nothing is lost in silence."""


def refused(what, instead=""):
    text = f"{what} is not supported in the sandbox `embedded`"
    if instead:
        text += f"; {instead}"
    return NotImplementedError(text + "; the sandbox `cpython` has all of openpyxl")


def absent(name, instead=""):
    """A class whose objects cannot be made."""
    class Absent:
        def __init__(self, *args, **kwargs):
            raise refused(name, instead)
    return Absent


class Settings:
    """Attributes of which some are kept; the others are refused when they are set."""
    _known = {}

    def _start(self, what):
        object.__setattr__(self, "_what", what)
        object.__setattr__(self, "_set", {})

    def _put(self, name, value):
        """Does what a setting says."""

    def _stored(self, name):
        """What the workbook has, where the program has set nothing."""
        return None

    def __getattr__(self, name):
        if name in type(self)._known:
            kept = self._set
            return kept[name] if name in kept else self._stored(name)
        raise AttributeError(f"{self._what} has no attribute {name!r} in this sandbox; there are: {', '.join(type(self)._known)}")

    def __setattr__(self, name, value):
        if name not in type(self)._known:
            known = ", ".join(type(self)._known)
            raise refused(f"{self._what}.{name}", f"there are: {known}" if known else "")
        self._set[name] = value
        self._put(name, value)
