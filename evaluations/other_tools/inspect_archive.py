"""Inspect: logs that are archives (`.eval`), with a header and a member for each sample."""

import lzma
import zlib
from typing import Any, BinaryIO

from evaluations.files.streams import check_size, megabytes
from evaluations.ingest import FileError, Limits
from evaluations.numerals import grouped
from evaluations.zstd import ZstdError, zipfile

from . import documents, streamed
from .evaluation import Evaluation, as_object, refused
from .inspect_log import HOW, TOOL, of_samples, slim

MOST_MEMBERS = 200_000
MEMBER_BYTES = 100_000_000
LISTED = 600  # bytes of memory for each member in the list of the archive
ENTRY = b"PK\x01\x02"  # mark of an entry in the list at the end of an archive
UNREADABLE = (
    zipfile.BadZipFile,
    ZstdError,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    EOFError,
    RuntimeError,
    ValueError,
    OSError,
)


def evaluation(file: BinaryIO) -> Evaluation:
    """Read a `.eval` archive one sample at a time: data of a sample besides its answer may be very large."""
    size = check_size(file, Limits())
    _check_members(file)
    try:
        with zipfile.ZipFile(file) as archive:
            members = _checked(archive, size)
            header = _header(archive, members)
            slimmer = streamed.Slimmer(slim)
            slimmer.add(LISTED * len(members))
            samples = (
                slimmer.keep(slimmer.slimmed(_member(archive, name)))
                for name in members
                if name.startswith("samples/")
            )
            return of_samples(header, samples)
    except FileError:
        raise
    except UNREADABLE as damage:
        raise refused(TOOL, f"the archive cannot be read ({damage}).", HOW) from damage


def _check_members(file: BinaryIO) -> None:
    """Refuse an archive with far too many files before they are listed, because each takes memory."""
    count, overlap = 0, b""
    file.seek(0)
    while chunk := file.read(1_000_000):
        count += (overlap + chunk).count(ENTRY)
        overlap = chunk[1 - len(ENTRY) :]
        if count > MOST_MEMBERS:
            raise FileError("bytes_limit", f"The archive holds more than {grouped(MOST_MEMBERS)} files.")
    file.seek(0)


def _checked(archive: zipfile.ZipFile, size: int) -> list[str]:
    """The names of the members; refuses an archive that would unpack to far more than its size suggests."""
    members = archive.infolist()
    total, maximum = sum(member.file_size for member in members), Limits().unpacked(size)
    if total > maximum:
        raise FileError("bytes_limit", f"The archive unpacks to more than {megabytes(maximum)}.")
    for member in members:
        if member.file_size > MEMBER_BYTES:
            raise FileError(
                "bytes_limit", f"{member.filename[:80]} unpacks to more than {megabytes(MEMBER_BYTES)}."
            )
    return [member.filename for member in members]


def _header(archive: zipfile.ZipFile, members: list[str]) -> dict[str, Any]:
    """The log without its samples; for an interrupted log, the part written at its start."""
    name = next((name for name in ("header.json", "_journal/start.json") if name in members), "")
    if not name:
        raise refused(TOOL, "the archive has no header.json.", HOW)
    return _member(archive, name)


def _member(archive: zipfile.ZipFile, name: str) -> dict[str, Any]:
    """The object in a member. Its size is checked while it is unpacked, because the size in its entry may be wrong."""
    with archive.open(name) as file:
        content = file.read(MEMBER_BYTES + 1)
    if len(content) > MEMBER_BYTES:
        raise FileError("bytes_limit", f"{name[:80]} unpacks to more than {megabytes(MEMBER_BYTES)}.")
    return as_object(documents.parsed(content))
