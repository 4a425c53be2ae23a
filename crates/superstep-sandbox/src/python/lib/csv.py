"""Tables as texts. A file is anything that gives lines or has `write`, such as `io.StringIO`."""
QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


class Error(Exception):
    pass


class Dialect:
    delimiter, quotechar, escapechar, doublequote = ",", '"', None, True
    skipinitialspace, lineterminator, quoting, strict = False, "\r\n", QUOTE_MINIMAL, False


class excel(Dialect):
    pass


class excel_tab(Dialect):
    delimiter = "\t"


class unix_dialect(Dialect):
    lineterminator, quoting = "\n", QUOTE_ALL


_dialects = {"excel": excel, "excel-tab": excel_tab, "unix": unix_dialect}
_settings = ("delimiter", "quotechar", "escapechar", "doublequote", "skipinitialspace", "lineterminator", "quoting", "strict")


def register_dialect(name, dialect=excel, **fmtparams):
    _dialects[name] = _dialect(dialect, fmtparams)


def list_dialects():
    return list(_dialects)


def get_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def _dialect(dialect, changes):
    made = Dialect()
    source = get_dialect(dialect) if isinstance(dialect, str) else dialect
    for name in _settings:
        setattr(made, name, changes.pop(name) if name in changes else getattr(source, name))
    if changes:
        raise TypeError(f"'{list(changes)[0]}' is an invalid keyword argument for this function")
    if not isinstance(made.delimiter, str) or len(made.delimiter) != 1:
        raise TypeError('"delimiter" must be a 1-character string')
    return made


class reader:
    def __init__(self, csvfile, dialect="excel", **fmtparams):
        self._lines = iter(csvfile)
        self.dialect = _dialect(dialect, fmtparams)
        self.line_num = 0

    def __iter__(self):
        return self

    def __next__(self):
        fields, text, is_quoted, was_quoted, open_row = [], [], False, False, False
        form = self.dialect

        def end():
            value = "".join(text)
            text.clear()
            fields.append(float(value) if form.quoting == QUOTE_NONNUMERIC and not was_quoted else value)

        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if not open_row:
                    raise
                if form.strict:
                    raise Error("unexpected end of data")
                end()
                return fields
            if not isinstance(line, str):
                raise Error("iterator should return strings, not bytes (the file should be opened in text mode)")
            self.line_num += 1
            at, length = 0, len(line)
            while at < length:
                c = line[at]
                at += 1
                if form.escapechar is not None and c == form.escapechar and at < length:
                    text.append(line[at])
                    at += 1
                elif is_quoted:
                    if c != form.quotechar:
                        text.append(c)
                    elif form.doublequote and line[at:at + 1] == form.quotechar:
                        text.append(c)
                        at += 1
                    else:
                        is_quoted = False
                elif c in "\r\n":
                    if line[at:].strip("\r\n"):
                        raise Error("new-line character seen in unquoted field - do you need to open the file with newline=''?")
                    break
                elif c == form.delimiter:
                    end()
                    was_quoted, open_row = False, True
                    continue
                elif c == form.quotechar and not text and not was_quoted and form.quoting != QUOTE_NONE:
                    is_quoted = was_quoted = True
                elif c == " " and form.skipinitialspace and not text and not was_quoted:
                    pass
                else:
                    text.append(c)
                open_row = True
            if is_quoted:
                continue
            if not open_row:
                return []
            end()
            return fields


class writer:
    def __init__(self, csvfile, dialect="excel", **fmtparams):
        self._file = csvfile
        self.dialect = _dialect(dialect, fmtparams)

    def _field(self, value, is_only):
        form = self.dialect
        text = "" if value is None else value if isinstance(value, str) else repr(value) if isinstance(value, float) else str(value)
        special = (form.delimiter, form.quotechar, "\r", "\n") + tuple(form.lineterminator)
        needs = any(c in special for c in text) or not text and is_only or form.delimiter == " " and not text
        if form.quoting == QUOTE_ALL or form.quoting == QUOTE_NONNUMERIC and not isinstance(value, (int, float)):
            needs = True
        if form.quoting == QUOTE_NONE:
            if not text and is_only:
                raise Error("single empty field record must be quoted")
            if any(c in special for c in text) and form.escapechar is None:
                raise Error("need to escape, but no escapechar set")
            return "".join([form.escapechar + c if c in special or c == form.escapechar else c for c in text])
        if form.escapechar is not None:
            text = text.replace(form.escapechar, form.escapechar * 2)
        if not needs:
            return text
        mark = form.quotechar * 2 if form.doublequote else (form.escapechar or "") + form.quotechar
        return form.quotechar + text.replace(form.quotechar, mark) + form.quotechar

    def writerow(self, row):
        row = list(row)
        line = self.dialect.delimiter.join([self._field(value, len(row) == 1) for value in row])
        return self._file.write(line + self.dialect.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


class DictReader:
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", **fmtparams):
        self.reader = reader(f, dialect, **fmtparams)
        self._names = None if fieldnames is None else list(fieldnames)
        self.restkey = restkey
        self.restval = restval

    @property
    def fieldnames(self):
        if self._names is None:
            self._names = next(self.reader, None)
        return self._names

    @property
    def line_num(self):
        return self.reader.line_num

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self.reader)
        while row == []:
            row = next(self.reader)
        found = dict(zip(names, row))
        if len(row) > len(names):
            found[self.restkey] = row[len(names):]
        for name in names[len(row):]:
            found[name] = self.restval
        return found


class DictWriter:
    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", **fmtparams):
        self.writer = writer(f, dialect, **fmtparams)
        self.fieldnames = fieldnames
        self.restval = restval
        self.extrasaction = extrasaction

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, rowdict):
        extra = [name for name in rowdict if name not in self.fieldnames]
        if extra and self.extrasaction == "raise":
            raise ValueError("dict contains fields not in fieldnames: " + ", ".join([repr(name) for name in extra]))
        return self.writer.writerow([rowdict.get(name, self.restval) for name in self.fieldnames])

    def writerows(self, rowdicts):
        for row in rowdicts:
            self.writerow(row)


class Sniffer:
    def __init__(self):
        raise NotImplementedError("csv.Sniffer is not available in this sandbox; name the delimiter")
