"""Text that every database and every JSON encoder accepts."""

import re
from typing import Any

_REFUSED = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """NUL and lone surrogates become U+FFFD; a text without them is given back as the same object.

    PostgreSQL refuses NUL in text, and no UTF-8 encoder takes a lone surrogate; SQLite would keep both, so
    one rule keeps the databases alike. For every text that enters the database, model outputs and errors too.
    """
    if "\0" not in text and (text.isascii() or _encodable(text)):
        return text
    return _REFUSED.sub("\ufffd", text)


def clean_json(value: Any) -> Any:
    """The value with every text in it cleaned, names of fields too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): clean_json(field) for name, field in value.items()}
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    return value


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
