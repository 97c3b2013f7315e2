"""Unpacks ZIP archives of tables in a child process, and stores one table in their place."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO, cast

from django.core.files import File
from django.core.files.base import ContentFile

from evaluations import in_children, ingest, other_tools
from evaluations.errors import TooLarge
from evaluations.ingest import archive, tagged
from evaluations.ingest.sniff import EXTENSIONS
from evaluations.numerals import grouped

from . import formats, turns

SECONDS = 30.0  # of a busy machine; alone it takes a tenth
HINT = "Unpack it and upload its files one by one: “Add a variant” on an experiment takes further ones."


def unpacked(
    file: "File[bytes]", tools: bool = False, is_chosen: bool = False
) -> "tuple[File[bytes], list[dict[str, Any]]]":
    """The table in an archive, and the warning that says what became of its files, if any; any other file as it is.

    So are the tables in one JSON object, and sentences of tagged words, unless how it is read `is_chosen`. With
    `tools`, exports of one stay as they are. Raises `Invalid`, `TooLarge` or `TooManyRequests` if it cannot be
    unpacked.
    """
    opened = cast(BinaryIO, file.open("rb").file)
    kind = EXTENSIONS.get(PurePosixPath(file.name or "").suffix.lower())
    is_archive = kind != "workbook" and archive.is_archive(opened)
    is_object = kind == "json" and not is_chosen and archive.may_hold_tables(opened)
    is_object = is_object and (file.size or 0) <= archive.MOST_OF_OBJECT
    is_tagged = kind in (None, "csv") and not is_chosen and (file.size or 0) <= archive.MOST_BYTES
    is_tagged = is_tagged and not is_archive and _is_tagged(opened)
    if not (is_archive or is_object or is_tagged):
        return file, []
    _check_size(file.size or 0)
    if tools and other_tools.recognise(opened):
        return file, []
    read: Callable[[bytes], archive.Unpacked | None]
    if is_archive:
        task, read = "Reading the archive", partial(archive.unpacked, limits=formats.LIMITS)
    elif is_object:
        task, read = "Reading the object", archive.unpacked_object
    else:
        task, read = "Reading the sentences", archive.unpacked_sentences
    found = _read(opened, task, read)
    if found is None:
        return file, []
    warnings = [found.warning.as_dict()] if found.warning else []
    return ContentFile(found.content, found.name or file.name), warnings


def _is_tagged(opened: BinaryIO) -> bool:
    opened.seek(0)
    is_begun = tagged.is_begun(opened.read(2 * tagged.HEAD))
    opened.seek(0)
    return is_begun


def _read(
    opened: BinaryIO, task: str, read: Callable[[bytes], archive.Unpacked | None]
) -> archive.Unpacked | None:
    """What is in an archive, or in an object if that holds tables of variants, or in sentences of tagged words."""
    try:
        with turns.turn(opened):
            return in_children.call(task, HINT, SECONDS, read, opened.read())
    except ingest.FileError as error:
        raise formats.refusal(error) from error


def packed(files: "Sequence[File[bytes]]") -> "File[bytes]":
    """Files that were sent together, as an archive that is named after the first.

    Of files with one name, which come from several folders, the later ones are numbered: `results2.json`.
    """
    _check_size(sum(file.size or 0 for file in files))
    contents: dict[str, BinaryIO] = {}
    for file in files:
        path = PurePosixPath(file.name or "")
        endings = ("", *map(str, range(2, len(files) + 1)))
        free = (f"{path.stem}{ending}{path.suffix}" for ending in endings)
        name = next(name for name in free if name not in contents)
        contents[name] = cast(BinaryIO, file.open("rb").file)
    first = PurePosixPath(min(file.name or "" for file in files)).stem
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
