"""Rules for the API keys of connections: which characters are valid, and how keys are masked in texts."""

import base64
from typing import Any

from evaluations.clients.service_error import ServiceError
from evaluations.linear import Match, Pattern, literal
from evaluations.numerals import grouped

MAX_KEY = 1_000
MASK = "•••"
LIKE_A_KEY = r"\b(?:sk|pk|key|api)-[\w*.-]{6,}|Bearer \S+"
VALID = Pattern(r"[\x21-\x7e]*")
SHORTEST_KEY = 8  # characters; a shorter key could be part of any text
# characters; up to this length, a word or number may be a dummy key for a server without keys
LONGEST_WORD = 15


def check_key(key: str) -> None:
    """Refuse a key that no HTTP header can carry. Empty is valid: local servers need none."""
    if len(key) > MAX_KEY or not VALID.fullmatch(key):
        message = (
            f"A key can have at most {grouped(MAX_KEY)} characters: ASCII letters, digits and signs, but no "
            "spaces."
        )
        raise ServiceError(message, permanent=True, code="invalid_key")


class Mask:
    """Hides a key in decoded texts: plain, as base64, and in either form with escapes of JSON.

    A key that could be an ordinary word or number changes no answer. In errors, whatever looks like a key is hidden.
    """

    def __init__(self, *secrets: str) -> None:
        """Hides each of these secrets: the key, and the values of secret headers."""
        self._forms = [form for key in secrets if key and not _may_be_word(key) for form in _forms(key)]
        self._escaped = Pattern("|".join(map(_with_escapes, self._forms)))
        in_errors = [_with_escapes(form) for key in secrets if key for form in _forms(key)] + [LIKE_A_KEY]
        self._in_errors = Pattern("|".join(in_errors), ignore_case=True)

    def error(self, text: str) -> str:
        return self._in_errors.sub(_hidden, text)

    def answer(self, value: Any) -> Any:
        """A parsed answer with the key hidden in each of its texts, names included."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.answer(item) for item in value]
        if isinstance(value, dict):
            return {self._text(name): self.answer(item) for name, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, MASK)
        # JSON inside a text, such as the arguments of a tool call, is opened later.
        return self._escaped.sub(_hidden, text) if "\\" in text else text


def _hidden(found: Match[str]) -> str:
    return f"{found[0][:7]}{MASK}" if found[0].lower().startswith("bearer ") else MASK


def _may_be_word(key: str) -> bool:
    return len(key) < SHORTEST_KEY or (len(key) <= LONGEST_WORD and (key.isalpha() or key.isdigit()))


def _forms(key: str) -> list[str]:
    return [key, base64.b64encode(key.encode()).decode().rstrip("=")]


def _with_escapes(form: str) -> str:
    """A pattern for a form whose characters may be escaped, as often as the JSON is nested."""
    return "".join(rf"(?:\\*{literal(c)}|\\+u00(?i:{ord(c):02x}))" for c in form)
