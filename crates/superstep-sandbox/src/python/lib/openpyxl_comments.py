"""Comments of cells."""


class Comment:
    def __init__(self, text, author="", height=79, width=144):
        if height != 79 or width != 144:
            from openpyxl._refuse import refused
            raise refused("Comment(height, width)")
        self.text = str(text)
        self.content = self.text
        self.author = "" if author is None else str(author)
        self.height = height
        self.width = width

    def __repr__(self):
        return f"Comment: {self.text} by {self.author}"

    def __eq__(self, other):
        return isinstance(other, Comment) and (self.text, self.author) == (other.text, other.author)
