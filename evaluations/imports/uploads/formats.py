"""Detects the format of an uploaded file."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings

from evaluations import ingest, other_tools
from evaluations.errors import Invalid

LIMITS = ingest.Limits(rows=settings.EVALSITE_FILE_ROWS, file_bytes=settings.EVALSITE_FILE_MB * 1024 * 1024)
EVERY_BYTE = "mac_roman"  # an encoding in which every byte is a character


class FileRefused(Invalid):
    """A file that cannot be read as it is; `choices` are an option that would decide how, and its values."""

    choices: tuple[str, tuple[str, ...]] | None = None


def detect(
    opened: Any,
    filename: str,
    tools: bool,
    undecided: bool,
    choices: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The format of a file: a table or, with `tools`, an export; raises `Invalid` for anything else.

    With `undecided` also of a text whose encoding is unknown, and of an object with several lists of rows, so that the
    user can choose. With `choices` it is a table, read so.
    """
    if choices:
        return sniff(opened, filename, choices).as_dict()
    try:
        return _format(opened, filename, tools)
    except Invalid as refused:
        if undecided and refused.code == "encoding":
            return _undecided_format(opened, filename)
        if undecided and isinstance(refused, FileRefused) and refused.choices:
            return _undecided_rows(opened, filename, *refused.choices)
        raise


def _format(opened: Any, filename: str, tools: bool) -> dict[str, Any]:
    """The format of a file, a tool's export or a table; raises `Invalid` for anything else.

    An export that can only be read as a table is still parked as an export: its page explains why, and offers the
    table.
    """
    tool = other_tools.recognise(opened) if tools else ""
    if not tool:
        return sniff(opened, filename).as_dict()
    try:
        other_tools.read(opened, tool)
    except ingest.FileError as error:
        opened.seek(0)
        with suppress(Invalid):
            sniff(opened, filename)
            return {"kind": tool, "is_broken": True}
        raise refusal(error) from error
    opened.seek(0)
    return {"kind": tool}


def _undecided_format(opened: Any, filename: str) -> dict[str, Any]:
    """UTF-8 as a provisional format of a text that is not valid UTF-8, so that the user can choose an encoding."""
    opened.seek(0)
    fmt = sniff(opened, filename, {"encoding": EVERY_BYTE})
    return fmt.override({"encoding": "utf-8"}).as_dict()


def _undecided_rows(opened: Any, filename: str, option: str, values: tuple[str, ...]) -> dict[str, Any]:
    """The first of several lists as the provisional one, with a warning that names all."""
    opened.seek(0)
    return sniff(opened, filename, {option: values[0]}).as_dict()


def sniff(opened: Any, filename: str, choices: Mapping[str, Any] | None = None) -> ingest.Format:
    """The format of the file, with the user's choices; the file's cursor returns to the beginning."""
    try:
        fmt = ingest.sniff(opened, filename, choices, limits=LIMITS)
    except ingest.FileError as error:
        raise refusal(error) from error
    opened.seek(0)
    return fmt


def refusal(error: ingest.FileError) -> Invalid:
    refused = FileRefused(error.code, error.message, hint=error.hint, where=error.where)
    refused.choices = error.choices
    return refused
