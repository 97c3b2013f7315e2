"""Reads the files of a ZIP archive that may be exports, and recognises an archive of exports of one tool."""

import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO

from evaluations.files.streams import megabytes
from evaluations.ingest import FileError
from evaluations.zstd import ZstdError, zipfile

MOST_BYTES = 20_000_000  # of an archive
MOST_UNPACKED = 40_000_000  # bytes of all exports in it
MOST_MEMBERS = 200
HEAD = 256_000  # bytes by which an export is recognised
SUFFIXES = (".json", ".jsonl", ".ndjson", ".csv", ".eval", ".yaml", ".yml")
OF_A_LOG = {"header.json", "_journal/start.json"}  # members of an archive that is an export itself
# Archives of these are read as tables, which tell models and tasks apart by their folders.
TABLES = {"lmeval"}
ENDING = "_together"
DAMAGED = (
    *(zipfile.BadZipFile, ZstdError, zlib.error, lzma.LZMAError),
    *(NotImplementedError, EOFError, RuntimeError, ValueError, OSError),
)


def shape(file: BinaryIO, recognise: Callable[[BinaryIO], str]) -> str:
    """The shape of an archive with at least two exports of one tool, and fewer other tables; "" for any other."""
    if file.seek(0, os.SEEK_END) > MOST_BYTES:
        return ""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            paths = _paths(archive)
            if not 1 < len(paths) <= MOST_MEMBERS:
                return ""
            shapes = [recognise(BytesIO(_head(archive, path))) for path in paths]
    except DAMAGED:
        return ""
    tools = {found.partition("_")[0] for found in shapes if found}
    count = sum(map(bool, shapes))
    if len(tools) != 1 or count < 2 or count <= len(shapes) - count or tools <= TABLES:
        return ""
    return f"{tools.pop()}{ENDING}"


def _paths(archive: zipfile.ZipFile) -> list[str]:
    """The paths of files that may be exports; none if the archive is an export itself."""
    names = archive.namelist()
    return [] if OF_A_LOG & {*names} else [*filter(_may_be_export, names)]


def _may_be_export(path: str) -> bool:
    parts = PurePosixPath(path.lower()).parts
    return path.lower().endswith(SUFFIXES) and not any(part.startswith((".", "__macosx")) for part in parts)


def _head(archive: zipfile.ZipFile, path: str) -> bytes:
    with archive.open(path) as file:
        return file.read(HEAD)


def contents(file: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """The path and content of each file that may be an export."""
    room = MOST_UNPACKED
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            for path in _paths(archive):
                with archive.open(path) as member:
                    content = member.read(room + 1)  # its entry may say a wrong size
                room -= len(content)
                if room < 0:
                    message = f"The archive unpacks to more than {megabytes(MOST_UNPACKED)}."
                    raise FileError("bytes_limit", message, hint="Upload its files one by one.")
                yield path, content
    except DAMAGED as damage:
        message = f"The ZIP archive cannot be read: {str(damage)[:200]}."
        raise FileError("compressed_file", message) from damage
