"""CSV in which a backslash stands before a quote inside a cell, as Spark and Athena write it by default."""

import csv
import io
from collections.abc import Iterator

LETTERS = "letters"  # of `Format.escape`: quotes mean nothing, and belong to the texts
AS_LETTERS = "Cells begin with quotes that end before the cell does: quotes are read as letters."
MESSAGE = "Quotes inside cells are written with a backslash before them, and are read so."


def are_used(head: str, delimiter: str) -> bool:
    r"""Whether the first lines of a file can be read only if a backslash stands for a second quote.

    >>> are_used('q,a\n"say \\"hi\\", ok",1\n', ","), are_used('q,a\n"C:\\",1\n', ",")
    (True, False)
    """
    return (
        '\\"' in head
        and not _is_readable(head, delimiter)
        and _is_readable(b"".join(doubled(iter([head.encode()]))).decode(), delimiter)
    )


def are_letters(head: str, delimiter: str) -> bool:
    r"""Whether quotes at the beginning of cells are letters in the first lines of a file: several end within the cell,
    and none at its end, so that nothing is quoted.

    >>> are_letters('a\tb\n"Yes", he said\t1\n"No", I say\t2\n', "\t"), are_letters('a\tb\n"x"\t1\n', "\t")
    (True, False)
    """
    lines = [line for line in head.splitlines() if '"' in line]
    begun = [cell for line in lines for cell in line.split(delimiter) if cell.startswith('"')]
    widths = {line.count(delimiter) for line in head.splitlines() if line}
    are_ended = all(cell.count('"') > 1 and not cell.endswith('"') for cell in begun)
    return len(begun) > 1 and len(widths) == 1 and are_ended


def _is_readable(text: str, delimiter: str) -> bool:
    """Whether no text follows a closing quote; the last record may be cut."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as wrong:
        return "unexpected end" in str(wrong)
    return True


def doubled(chunks: Iterator[bytes]) -> Iterator[bytes]:
    r"""The text with quotes doubled instead. Inside quotes `\"` is a quote and `\\` a backslash; others stay.

    >>> b"".join(doubled(iter([rb'a\\b,"c \"d\" \\ \n', b'"'])))
    b'a\\\\b,"c ""d"" \\ \\n"'
    """
    inside, kept = False, b""
    for chunk in chunks:
        text, kept = kept + chunk, b""
        backslashes = len(text) - len(text.rstrip(b"\\"))
        if backslashes % 2:  # The next chunk has the character that it stands before.
            text, kept = text[:-1], text[-1:]
        converted, inside = _converted(text, inside=inside)
        yield converted
    yield kept


def as_letters(chunks: Iterator[bytes], delimiter: str) -> Iterator[bytes]:
    r"""The text with each cell that has a quote in quotes of its own, in which it is doubled: quotes are letters.

    >>> b"".join(as_letters(iter([b'a,5" pipe\r\nb', b'" c,d']), ","))
    b'a,"5"" pipe"\r\n"b"" c",d'
    """
    kept, mark = b"", delimiter.encode()
    for chunk in chunks:
        *lines, kept = (kept + chunk).split(b"\n")
        yield b"".join(_quoted(line, mark) + b"\n" for line in lines)
    yield _quoted(kept, mark)


def _quoted(line: bytes, mark: bytes) -> bytes:
    if b'"' not in line:
        return line
    end = b"\r" if line.endswith(b"\r") else b""
    cells = line.removesuffix(end).split(mark)
    return (
        mark.join(b'"' + cell.replace(b'"', b'""') + b'"' if b'"' in cell else cell for cell in cells) + end
    )


def _converted(text: bytes, *, inside: bool) -> tuple[bytes, bool]:
    """The text, and whether it ends inside quotes."""
    if b"\\" not in text:
        return text, inside ^ (text.count(b'"') % 2 == 1)
    parts, at, quote, slash = [], 0, text.find(b'"'), text.find(b"\\")
    while quote >= 0 or (inside and slash >= 0):
        if inside and slash >= 0 and (quote < 0 or slash < quote):
            begin, at = at, slash + 1
            parts.append(text[begin:slash] + _unescaped(text[at : at + 1]))
            at += text[at : at + 1] in (b'"', b"\\")
        else:
            parts.append(text[at : quote + 1])
            at, inside = quote + 1, not inside
        quote = text.find(b'"', at) if 0 <= quote < at else quote
        slash = text.find(b"\\", at) if 0 <= slash < at else slash
    return b"".join([*parts, text[at:]]), inside


def _unescaped(following: bytes) -> bytes:
    """What a backslash and the next character stand for, without that character if it means nothing after one."""
    return {b'"': b'""', b"\\": b"\\"}.get(following, b"\\")
