"""Rules for the API keys of connections: which characters are valid, and how keys are masked in texts."""

import base64
import re

from evaluations.clients.service_error import ServiceError
from evaluations.numerals import grouped

MAX_KEY = 1_000
MASK = "•••"
LIKE_A_KEY = r"\b(?:sk|pk|key|api)-[\w*.-]{6,}|(?<=Bearer )\S+"
SHORTEST_KEY = 8  # characters; a shorter key could be part of any text
# characters; up to this length, a word or number may be a dummy key for a server without keys
LONGEST_WORD = 15


def check_key(key: str) -> None:
    """Refuse a key that no HTTP header can carry. Empty is valid: local servers need none."""
    if len(key) > MAX_KEY or not re.fullmatch(r"[\x21-\x7e]*", key):
        message = (
            f"A key can have at most {grouped(MAX_KEY)} characters: ASCII letters, digits and signs, but no "
            "spaces."
        )
        raise ServiceError(message, permanent=True, code="invalid_key")


def in_errors(key: str) -> re.Pattern[str]:
    """The mask for errors: the key, plain and as base64, and whatever looks like a key."""
    forms = [*_forms(key)] if key else []
    return re.compile("|".join([*forms, LIKE_A_KEY]), re.IGNORECASE)


def in_answers(key: str) -> re.Pattern[bytes] | None:
    """The mask for answers: the key, plain and as base64; nothing if the key could be an ordinary word or number."""
    may_be_word = len(key) <= LONGEST_WORD and (key.isalpha() or key.isdigit())
    return None if len(key) < SHORTEST_KEY or may_be_word else re.compile("|".join(_forms(key)).encode())


def _forms(key: str) -> list[str]:
    encoded = base64.b64encode(key.encode()).decode().rstrip("=")
    # In JSON, a quote, a slash or a backslash may be escaped by a backslash.
    return [re.sub(r'(\\\\|"|/)', r"\\\\?\1", re.escape(key)), re.escape(encoded)]
