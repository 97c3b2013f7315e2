"""Parses one row from the bytes of a JSON object, and diagnoses invalid ones."""

from collections.abc import Sequence
from typing import Any

from evaluations import strict_json

HEAD = 65_536  # bytes of a file in which further lines with objects would begin


class NotARow(Exception):
    """These bytes are not a row: a code of `codes.ROW_ERRORS`, a sentence, and the text at fault."""

    def __init__(self, code: str, message: str, quote: str = ""):
        super().__init__(message)
        self.code, self.message, self.quote = code, message, quote


def parse(line: bytes, unusual: bool = True, names: Sequence[str] = ()) -> dict[str, Any]:
    """Parse one object, or a list of cells with these names; raises `NotARow`.

    `unusual` is false if `strict_json.is_unusual` was false around it.
    """
    try:
        value = strict_json.parse(line, is_ordinary=not unusual)
    except strict_json.JSONError as error:
        raise _not_a_row(error) from error
    if names and type(value) is list:
        if len(value) != len(names):
            message = f"{len(value)} cells where there are {len(names)} names"
            raise NotARow("json_cell_count", message, line[:200].decode(errors="replace"))
        return dict(zip(names, value, strict=True))
    if type(value) is not dict:
        message = f"{_noun(value)} instead of an object"
        raise NotARow("json_not_an_object", message, line[:200].decode(errors="replace"))
    return value


def of_file(content: bytes) -> dict[str, Any] | None:
    """The only object of a file; None of any other file, such as one with an object on each line.

    >>> of_file(b' {"a": 1}'), of_file(b'[{"a": 1}]'), of_file(b'{"a": 1}\\n{"a": 2}')
    ({'a': 1}, None, None)
    """
    if not content.lstrip().startswith(b"{") or content.count(b"\n{", 0, HEAD):
        return None
    try:
        value = strict_json.parse(content)
    except strict_json.JSONError:
        return None
    return value if isinstance(value, dict) else None


def parse_member(text: bytes, unusual: bool, names_in: str) -> list[dict[str, Any]]:
    """Parse `"name": {…}`, or a list of objects, to rows with the name as the column `names_in`; raises `NotARow`.

    A name without any object is a row of its own. A field that has the name already is that column.
    """
    [(name, value)] = parse(b"{%s}" % text, unusual).items()
    members = value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else [value]
    if not all(isinstance(member, dict) for member in members):
        raise NotARow(
            "json_not_an_object", f"{_noun(value)} instead of an object", text[:200].decode(errors="replace")
        )
    if any(member.get(names_in, name) != name for member in members):
        message = f"the row has a field “{names_in}”, which is the column of the names of rows"
        raise NotARow("json_duplicate_key", message, names_in)
    return [{names_in: name} | member for member in members or [{}]]


def _not_a_row(error: strict_json.JSONError) -> NotARow:
    if isinstance(error, strict_json.NotJSON):
        return _diagnosis(error)
    if isinstance(error, strict_json.TooDeep):
        return NotARow("json_too_deep", error.message)
    if isinstance(error, strict_json.DuplicateName):
        return NotARow("json_duplicate_key", error.message, error.quote)
    return NotARow("json_number", error.message, error.quote)


def _diagnosis(error: strict_json.NotJSON) -> NotARow:
    """The likely cause of a syntax error, so that the hint can name the repair."""
    text, remainder = error.text, error.text[error.position :].lstrip()
    if text.lstrip().startswith(("//", "#", "/*")) or remainder.startswith(("//", "/*")):
        return NotARow("json_comment", "JSON has no comments", remainder or text)
    if error.message.startswith("Extra data"):
        if remainder.startswith(","):
            return NotARow("json_trailing_comma", "Extra comma after the object", remainder)
        return NotARow(
            "json_concatenated", "Extra data after the object: only one object per line", remainder
        )
    if _is_extra_comma(text[: error.position], remainder):
        quote = text[max(0, error.position - 20) :]
        return NotARow("json_trailing_comma", "Extra comma before a closing bracket", quote)
    if remainder.startswith("'"):
        return NotARow("json_single_quotes", "Invalid JSON: single quotes", remainder)
    if not remainder or error.message.startswith("Unterminated string"):
        return NotARow("json_unclosed", "Invalid JSON: it ends in the middle of the object", text[-40:])
    said = WORDS.get(error.message, error.message)
    return NotARow("json_invalid", f"Invalid JSON at character {error.position + 1}: {said}", remainder)


# what Python's reader expects, in words for people
WORDS = {
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing after a name",
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
    "Invalid control character at": "a line break or a tab inside a text is not escaped",
}


def _is_extra_comma(before: str, remainder: str) -> bool:
    """Whether a comma stands before a closing bracket; Python 3.13 and later stop at the comma, others after it."""
    after = remainder[1:].lstrip() if remainder.startswith(",") else remainder
    return after.startswith(("}", "]")) and (after != remainder or before.rstrip().endswith(","))


def _noun(value: Any) -> str:
    nouns = {list: "A list", str: "A text", bool: "A truth value", type(None): "null"}
    return nouns.get(type(value), "A number")
