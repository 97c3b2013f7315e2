"""Replaces characters that some database or JSON encoder refuses."""

from typing import Any

from evaluations.linear import is_encodable, without_surrogates


def clean(text: str) -> str:
    """Replace NUL and unpaired surrogates by U+FFFD; a text without them is returned as the same object.

    PostgreSQL refuses NUL, and UTF-8 encoders refuse surrogates; SQLite would keep both, so one rule keeps the
    databases alike. Applies to every text that enters the database, model outputs and errors included.
    """
    if "\0" not in text and (text.isascii() or is_encodable(text)):
        return text
    return without_surrogates(text.replace("\0", "\ufffd"))


def clean_json(value: Any) -> Any:
    """The value with all texts in it cleaned, including names of fields."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): clean_json(field) for name, field in value.items()}
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    return value
