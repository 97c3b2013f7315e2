"""Regular expressions in linear time (RE2): no backreferences, no lookaround, nothing that can hang."""

import re
from typing import Any

import re2

SURROGATES = re.compile("[\ud800-\udfff]")


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
    return re2.compile(encodable(pattern), options)


def _complaint(error: re2.error) -> tuple[str, str]:
    """RE2's reason, and the part of the pattern that it quotes (for parentheses, the whole pattern)."""
    reason, _, quoted = error.args[0].decode("utf-8", "replace").partition(": ")
    return reason, quoted


def encodable(text: str) -> str:
    """The text with unpaired surrogates, which RE2 cannot read, replaced one by one by U+FFFD."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def forget() -> None:
    """Empty RE2's cache: 128 patterns of up to 8 MiB each."""
    re2.purge()


def _position(pattern: str, reason: str, quoted: str) -> int:
    """The index of the error: the start of the first occurrence of `quoted` up to whose end RE2 refuses the pattern."""
    if reason == "missing )":
        return len(pattern)
    part = ")" if reason == "unexpected )" else quoted
    matches = list(re.finditer(re.escape(part), pattern))
    refused = (match.start() for match in matches if _is_refused(pattern[: match.end()], reason))
    return next(refused, matches[0].start() if matches else 0)


def _is_refused(beginning: str, reason: str) -> bool:
    try:
        _compile(beginning)
    except re2.error as error:
        return _complaint(error)[0] == reason
    return False
