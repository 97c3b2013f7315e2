"""Unpacks ZIP archives of tables in a child process, and stores one table in their place."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django.core.files import File
from django.core.files.base import ContentFile

from evaluations import in_children, ingest, other_tools
from evaluations.errors import Invalid, TooLarge
from evaluations.ingest import archive
from evaluations.ingest.sniff import EXTENSIONS
from evaluations.numerals import grouped

from . import formats, turns

SECONDS = 30.0  # of a busy machine; alone it takes a tenth
HINT = "Unpack it and upload its files one by one: “Add a variant” on an experiment takes further ones."


def unpacked(file: "File[bytes]", tools: bool = False) -> "tuple[File[bytes], list[dict[str, Any]]]":
    """The table in an archive, and the warning that says what became of its files, if any; any other file as it is.

    With `tools`, so is an archive of several exports of one.
    Raises `Invalid`, `TooLarge` or `TooManyRequests` if it cannot be unpacked.
    """
    opened = cast(BinaryIO, file.open("rb").file)
    if EXTENSIONS.get(PurePosixPath(file.name or "").suffix.lower()) == "workbook" or not archive.is_archive(
        opened
    ):
        return file, []
    _check_size(file.size or 0)
    if tools and other_tools.recognise(opened):
        return file, []
    try:
        with turns.turn(opened):
            content = opened.read()
            found = in_children.call(
                "Reading the archive", HINT, SECONDS, archive.unpacked, content, formats.LIMITS
            )
    except ingest.FileError as error:
        raise formats.refusal(error) from error
    warnings = [found.warning.as_dict()] if found.warning else []
    return ContentFile(found.content, found.name or file.name), warnings


def packed(files: "Sequence[File[bytes]]") -> "File[bytes]":
    """Files that were sent together, as an archive that is named after the first."""
    _check_size(sum(file.size or 0 for file in files))
    contents = {file.name or "": cast(BinaryIO, file.open("rb").file) for file in files}
    if len(contents) < len(files):
        raise Invalid("same_names", "Two of the files have the same name.", hint="Rename one of them.")
    first = PurePosixPath(min(contents)).stem
    return ContentFile(archive.packed(contents), f"{first} and {len(files) - 1} more.zip")


def _check_size(size: int) -> None:
    if size > archive.MOST_BYTES:
        most = grouped(archive.MOST_BYTES // 1_000_000)
        message = (
            f"Files that are read together, in a ZIP archive or sent at once, may have {most} MB in all."
        )
        raise TooLarge("compressed_file", message, hint=HINT)


def warnings_of(fmt: dict[str, Any]) -> list[dict[str, Any]]:
    """The warning of a joined archive in a stored format."""
    return [warning for warning in fmt.get("warnings", ()) if warning["code"] == archive.CODE]


def with_warnings(fmt: dict[str, Any], warnings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The stored format with these warnings before its own."""
    return fmt | {"warnings": [*warnings, *fmt.get("warnings", ())]} if warnings else fmt
