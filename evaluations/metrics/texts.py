"""Cuts and measures texts in code points, or in UTF-16 units as JavaScript does; and writes them in one form."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray


def lengths(texts: Sequence[str]) -> NDArray[np.int64]:
    """The length of each text."""
    return np.fromiter(map(len, texts), np.int64, len(texts))


def verdicts(truths: Iterable[bool]) -> NDArray[np.bool_]:
    """Truth values as an array; built from bytes, which is faster than np.fromiter."""
    return np.frombuffer(bytes(truths), bool)


def utf16_length(text: str) -> int:
    """Number of UTF-16 units: characters beyond U+FFFF count two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, length: int, *, utf16: bool = False) -> str:
    """The first `length` code points or UTF-16 units; a cut between two units leaves a lone surrogate, as in
    JavaScript.

    >>> cut("a😀b", 2)
    'a😀'
    >>> cut("a😀b", 2, utf16=True)
    'a\\ud83d'
    """
    if not utf16 or text.isascii():
        return text[:length]
    units = text[:length].encode("utf-16-le", "surrogatepass")
    return units[: 2 * length].decode("utf-16-le", "surrogatepass")


def utf16_units(text: str) -> str:
    """Split characters into UTF-16 units: a character beyond U+FFFF becomes its two surrogates.

    >>> utf16_units("a😀")
    'a\\ud83d\\ude00'
    """
    if text.isascii():
        return text
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    return (
        text
        if len(units) == len(text)
        else units.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    )


def in_form(
    text: str,
    *,
    unicode: Literal["NFC", "NFKC"] | None,
    casefold: bool,
    whitespace: Literal["collapse", "remove"] | None,
    without_punctuation: bool,
) -> str:
    r"""A text in which these differences of writing do not count: Unicode's form, case, punctuation and blanks.

    Folding can leave a form, so the form is made again after it (Unicode, caseless matching, D145).

    >>> in_form("Straße \n  II!", unicode="NFKC", casefold=True, whitespace="collapse", without_punctuation=True)
    'strasse ii'
    """
    if unicode:
        text = unicodedata.normalize(unicode, text)
    if casefold:
        text = text.casefold()
        text = unicodedata.normalize(unicode, text) if unicode else text
    if without_punctuation:
        text = "".join(sign for sign in text if not unicodedata.category(sign).startswith("P"))
    if whitespace:
        text = (" " if whitespace == "collapse" else "").join(text.split())
    return text
