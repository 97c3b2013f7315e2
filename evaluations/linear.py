"""Patterns of the program over texts of users, compiled by RE2: every match takes time in proportion to the text.

Python's `re` tries again from each position and at each length, so that one text of 16 kB can hold the process, and all
pages with it, for minutes. `tests/test_linear.py` refuses `re` outside a short list. RE2 knows no lookaround and no
backreferences; its `\\d`, `\\w`, `\\s` and `\\b` are ASCII: write `\\p{Nd}` where other digits count.
"""

from collections.abc import Callable, Iterator
from typing import Any, AnyStr, Generic, Protocol, TypeVar

import re2

T = TypeVar("T", str, bytes, covariant=True)
# inside brackets: the blanks of `str.isspace`, as `\s` means them in Python's `re`
SPACE = r"\t-\r\x1c-\x1f\x{85}\p{Z}"


class Match(Protocol[T]):
    """A match; groups that took no part are None, although the type says otherwise."""

    def __getitem__(self, group: int) -> T: ...

    def groups(self) -> tuple[T, ...]: ...

    def start(self) -> int: ...

    def end(self) -> int: ...


class Pattern(Generic[AnyStr]):
    """A compiled pattern with the methods of `re.Pattern`. Unpaired surrogates are read as U+FFFD; bytes as Latin-1."""

    def __init__(self, pattern: AnyStr, *, ignore_case: bool = False) -> None:
        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not ignore_case
        if isinstance(pattern, bytes):
            options.encoding = re2.Options.Encoding.LATIN1
        self._compiled: Any = re2.compile(pattern, options)

    def search(self, text: AnyStr) -> Match[AnyStr] | None:
        found: Match[AnyStr] | None = self._compiled.search(_readable(text))
        return found

    def match(self, text: AnyStr) -> Match[AnyStr] | None:
        found: Match[AnyStr] | None = self._compiled.match(_readable(text))
        return found

    def fullmatch(self, text: AnyStr) -> Match[AnyStr] | None:
        found: Match[AnyStr] | None = self._compiled.fullmatch(_readable(text))
        return found

    def finditer(self, text: AnyStr) -> Iterator[Match[AnyStr]]:
        matches: Iterator[Match[AnyStr]] = self._compiled.finditer(_readable(text))
        return matches

    def split(self, text: AnyStr) -> list[AnyStr]:
        pieces: list[AnyStr] = self._compiled.split(_readable(text))
        return pieces

    def sub(self, replacement: AnyStr | Callable[[Match[AnyStr]], AnyStr], text: AnyStr) -> AnyStr:
        if isinstance(replacement, str) and not replacement.isascii():
            return self.sub(lambda _: replacement, text)  # RE2 would write its bytes as Latin-1
        replaced: AnyStr = self._compiled.sub(replacement, _readable(text))
        return replaced


def literal(text: str) -> str:
    """The pattern that matches this text alone."""
    escaped: str = re2.escape(without_surrogates(text))
    return escaped


def without_surrogates(text: str) -> str:
    """The text with each unpaired surrogate replaced by U+FFFD; a text without them is returned as the same object."""
    if text.isascii() or is_encodable(text):
        return text
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def folded(text: str) -> str:
    """The text in lower case, with as many characters as it has: positions in one are positions in the other."""
    return text.replace("İ", "i").lower().replace("ς", "σ")


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can write the text: whether it has no unpaired surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(text: AnyStr) -> AnyStr:
    return without_surrogates(text) if isinstance(text, str) else text
