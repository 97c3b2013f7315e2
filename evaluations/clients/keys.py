"""The one rule for API keys of connections."""

import re

from evaluations.clients.service_error import ServiceError
from evaluations.numerals import grouped

MAX_KEY = 1_000


def check_key(key: str) -> None:
    """Refuse a key that no HTTP header can carry. Empty is valid: local servers need none."""
    if len(key) > MAX_KEY or not re.fullmatch(r"[\x21-\x7e]*", key):
        message = (
            f"A key has at most {grouped(MAX_KEY)} characters: ASCII letters, digits and signs, no spaces."
        )
        raise ServiceError(message, permanent=True, code="invalid_key")
