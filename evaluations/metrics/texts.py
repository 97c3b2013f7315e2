"""Cuts and measures texts in code points, or in UTF-16 units as JavaScript does."""

from collections.abc import Iterable, Sequence

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
