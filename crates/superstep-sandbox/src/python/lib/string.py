ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\x0b\x0c"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(text, sep=None):
    return (sep or " ").join(word.capitalize() for word in text.split(sep))


class Template:
    def __init__(self, template):
        self.template = template

    def substitute(self, *args, **kwargs):
        values = dict(*args, **kwargs)
        text = self.template
        for name in sorted(values, key=len, reverse=True):
            text = text.replace("${" + name + "}", str(values[name])).replace("$" + name, str(values[name]))
        return text

    safe_substitute = substitute
