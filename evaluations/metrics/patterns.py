"""Regular expressions in linear time (RE2): no backreferences, no lookaround, nothing that can hang."""

from collections.abc import Iterator
from typing import Any

import re2

from evaluations.linear import without_surrogates


class PatternError(ValueError):
    """A pattern that does not compile; `position` is the index of the error, from 0."""

    def __init__(self, reason: str, position: int):
        super().__init__(f"The pattern does not compile: {reason} at position {position}.")
        self.position = position


def compile(pattern: str, *, ignore_case: bool = False) -> Any:
    """Compile a pattern, with `search`, `fullmatch` and `groups`; raises `PatternError` if RE2 refuses it."""
    try:
        return _compile(pattern, ignore_case)
    except re2.error as error:
        reason, quoted = _complaint(error)
        raise PatternError(reason, _position(pattern, reason, quoted)) from error


def _compile(pattern: str, ignore_case: bool = False) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    return re2.compile(without_surrogates(pattern), options)


def _complaint(error: re2.error) -> tuple[str, str]:
    """RE2's reason, and the part of the pattern that it quotes (for parentheses, the whole pattern)."""
    reason, _, quoted = error.args[0].decode("utf-8", "replace").partition(": ")
    return reason, quoted


def forget() -> None:
    """Empty RE2's cache: 128 patterns of up to 8 MiB each."""
    re2.purge()


def _position(pattern: str, reason: str, quoted: str) -> int:
    """The index of the error: the start of the first occurrence of `quoted` up to whose end RE2 refuses the pattern."""
    if reason == "missing )":
        return len(pattern)
    part = ")" if reason == "unexpected )" else quoted
    starts = [*_occurrences(part, pattern)]
    refused = (start for start in starts if _is_refused(pattern[: start + len(part)], reason))
    return next(refused, starts[0] if starts else 0)


def _occurrences(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + max(len(part), 1))


def _is_refused(beginning: str, reason: str) -> bool:
    try:
        _compile(beginning)
    except re2.error as error:
        return _complaint(error)[0] == reason
    return False
