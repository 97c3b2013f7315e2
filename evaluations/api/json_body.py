"""Parses JSON in bodies and forms. Values that a database cannot store are refused with their location."""

from typing import Any

from evaluations import strict_json
from evaluations.errors import Invalid, TooLarge
from evaluations.strict_json import JSONError, Limits
from evaluations.values import JSON

# 100,000 examples of fifteen values. Checked before parsing, because `[{},{},…` takes only 3 bytes a value.
# A value has at most a million characters, and one character at most twelve bytes, as two escapes.
LIMITS = Limits(values=1_500_000, items=100_000, text=12_000_000)
BOM = b"\xef\xbb\xbf"


def parse(body: bytes, *, nul: bool = False) -> JSON:
    """Parse a body; raises `Invalid`. With `nul`, NUL is allowed in texts, because the caller stores nothing."""
    body = body.removeprefix(BOM)
    try:
        value = strict_json.parse(body, limits=LIMITS)
    except JSONError as error:
        raise _refusal(error) from error
    if strict_json.has_odd_escapes(body):
        refuse_characters(value, nul=nul)
    return value


def _refusal(error: JSONError) -> Invalid | TooLarge:
    message = f"{error.message}."
    match error:
        case strict_json.NotJSON():
            return _broken(error)
        case strict_json.TooLarge():
            return TooLarge("body_too_large", message, hint="Send smaller batches, or send a file.")
        case strict_json.TextTooLong():
            return TooLarge("cell_too_large", message, hint="Shorten the text.")
        case strict_json.NotUTF8():
            return Invalid("invalid_character", message, where={"byte": error.position})
        case strict_json.DuplicateName():
            return Invalid("duplicate_name", message)
        case strict_json.BadNumber():
            return Invalid("invalid_number", message, hint="Send null, or a text in quotes.")
    return Invalid("too_deep", message)


def _broken(error: strict_json.NotJSON) -> Invalid:
    where = {"line": error.line, "column": error.column}
    location = f"Line {error.line}, column {error.column}"
    if error.message.startswith("Invalid control character"):
        return Invalid(
            "invalid_character", f"{location}: escape the control character in this text.", where=where
        )
    return Invalid("invalid_json", f"{location}: {error.message}.", where=where)


def as_object(value: JSON, name: str = "") -> dict[str, JSON]:
    """The value, if it is an object; else raises `Invalid`. `name` is the field it came from, "" for the body."""
    if isinstance(value, dict):
        return value
    message = f"{name or 'The body'} must be a JSON object: {{…}}."
    raise Invalid("object_expected", message, fields={name: [message]} if name else None)


def object_in(text: str, name: str) -> dict[str, JSON]:
    """The JSON object in a field of a form."""
    return as_object(parse(text.encode()), name)


def refuse_characters(value: Any, *, nul: bool = False) -> None:
    """Raise `Invalid` for the first text that has an unpaired surrogate or, unless allowed, NUL."""
    if unstorable := strict_json.find_unstorable(value, nul=nul):
        path, index, character = unstorable
        message = (
            f"{path or 'The body'}: character {index + 1} is U+{ord(character):04X}, which cannot be stored."
        )
        raise Invalid("invalid_character", message, fields={path: [message]} if path else None)
