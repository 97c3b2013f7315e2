"""Uploaded files: stored temporarily, inspected, and deleted unless they are confirmed."""

import fcntl
import hashlib
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from evaluations import disk_space, ingest, leases, other_tools
from evaluations.errors import Invalid, StorageFull, TooLarge, TooManyRequests
from evaluations.files.formats import OPENED
from evaluations.linear import Pattern
from evaluations.models import FailedImport, Import, Project, RefusedRow, Upload
from evaluations.numerals import grouped
from evaluations.owned import UNDO
from evaluations.process_cache import ProcessCache
from evaluations.values import canonical_json

from . import archives, formats, turns

LIMITS = formats.LIMITS
KEPT_FOR = timedelta(hours=1)
MOST_UNFINISHED = 5
UNLOCKED_FOR = 10  # seconds; a file is locked sooner after its creation
MEGABYTE = 1024 * 1024
RESERVE = 50 * MEGABYTE  # bytes of the disk for signing in, deleting and the database itself
LOG_ROOM = 10 * MEGABYTE  # bytes of the disk that a transaction needs, whatever the database can reuse
# names given by `park`; other files may share the folder
PARKED_NAME = Pattern(r"[0-9a-f]{32}(\.\w{1,9})?")
CHOICES = ("kind", "encoding", "delimiter", "header", "empty_as_text", "guarded", "escape", "sheet", "rows")
UNREAD = {"kind": ""}  # the format of a file that was stored before its turn to be read
# Cached by file and choices: every step of an upload needs the first rows, and Parquet is slow to open.
_previews = ProcessCache[tuple[str, str, str], ingest.Preview](
    "previews of files", 8_000_000, lambda preview: sum(len(str(row)) for row in preview.rows)
)


def park(
    project: Project,
    user: User | None,
    file: "File[bytes]",
    *,
    tools: bool = False,
    undecided: bool = False,
    unread: bool = False,
    choices: Mapping[str, Any] | None = None,
) -> Upload:
    """Store an uploaded file and detect its format; raises `Invalid`, and stores nothing, if it cannot be a dataset.

    With `tools`, an export of another tool is accepted too; with `undecided` also a file of which the user must say how
    it is read. With `choices`, it is a table that is read so.
    With `unread`, a file whose turn does not come is stored without a format, for `read_format`.
    """
    check_size(file.size)
    table, warnings_of_archive = archives.unpacked(file, tools and not choices, bool(choices))
    # Not closed here: Django deletes a temporary file when it is closed.
    opened, name = cast(BinaryIO, table.open("rb").file), table.name or ""
    try:
        with turns.turn(opened):
            fmt = formats.detect(opened, name, tools, undecided, choices)
    except TooManyRequests:
        if not unread:
            raise
        fmt = UNREAD
    digest = (
        getattr(file, "sha256", "")
        or hashlib.file_digest(cast(Any, file.open("rb").file), "sha256").hexdigest()
    )
    stored = default_storage.save(f"{uuid4().hex}{PurePosixPath(name).suffix[:10].lower()}", table)
    return Upload.objects.create(
        project=project,
        user=user,
        filename=ingest.clean(name)[:255],
        stored_as=stored,
        size=table.size,
        sha256=digest,
        format=archives.with_warnings(fmt, warnings_of_archive),
        touched_at=leases.now(),
    )


@contextmanager
def parked(
    project: Project,
    user: User | None,
    file: "File[bytes]",
    *,
    tools: bool = False,
    choices: Mapping[str, Any] | None = None,
) -> Iterator[Upload]:
    """The stored file, which is deleted at the end unless an import took it over.

    A table's first rows are read here, so that no transaction waits for them: SQLite has one writer at a time.
    """
    upload = park(project, user, file, tools=tools, choices=choices)
    try:
        if upload.format["kind"] not in other_tools.TOOLS:
            preview(upload)
        yield upload
    finally:
        if Upload.objects.filter(pk=upload.pk).delete()[0]:
            discard(upload.stored_as)


def _megabytes(size: int) -> str:
    return f"{grouped(size // MEGABYTE)} MB"


def check_size(size: int) -> None:
    """Refuse a file that exceeds the limit or the free disk space, before anything is stored."""
    if size > LIMITS.file_bytes:
        raise TooLarge(
            "file_too_large",
            f"The file has {_megabytes(size)}; at most {_megabytes(LIMITS.file_bytes)} can be uploaded.",
        )
    check_space(size)


def lowest_free_space() -> int:
    """The free bytes of the data folder's or the uploads' disk, whichever has less."""
    return min(shutil.disk_usage(folder).free for folder in (settings.DATA, settings.MEDIA_ROOT))


def disk_is_nearly_full() -> bool:
    """Whether the disk is so full that files are refused, to leave the rest for running work."""
    return _room_for_rows(RESERVE) < RESERVE


def _room_for_rows(needed: int) -> int:
    """The bytes that rows can take, as far as `needed`: free ones and, if the disk has room for the database's log,
    those that the database reuses."""
    free = lowest_free_space()
    return free if free >= needed or free < LOG_ROOM else free + disk_space.reusable_bytes()


def check_space(size: int) -> None:
    """Refuse a file if the disk cannot hold it and its rows."""
    room = lowest_free_space()
    if room >= size:
        room = _room_for_rows(2 * size)
    if room < 2 * size:
        raise StorageFull(
            "storage_full",
            f"The disk has {_megabytes(room)} free; this file needs {_megabytes(2 * size)}.",
        )


def require_space() -> None:
    """Refuse to store more rows if the disk is nearly full: a small file may unpack to much."""
    free = _room_for_rows(RESERVE)
    if free < RESERVE:
        raise StorageFull(
            "storage_full",
            f"The disk has {_megabytes(free)} free; Evalsite keeps {_megabytes(RESERVE)} free.",
        )


@contextmanager
def opened(upload: Upload) -> Iterator[Any]:
    """The stored file, in its turn; raises `TooManyRequests` if others take too long."""
    with default_storage.open(upload.stored_as) as file, turns.turn(cast(BinaryIO, file)):
        yield file


def is_unread(upload: Upload) -> bool:
    """Whether the file was stored before its turn to be read."""
    return bool(upload.format["kind"] == UNREAD["kind"])


def read_format(upload: Upload, *, tools: bool) -> None:
    """Detect the format of a file that was stored unread; raises `Invalid` and deletes it if it cannot be a dataset."""
    try:
        with opened(upload) as file:
            fmt = formats.detect(file, upload.filename, tools, undecided=True)
            upload.format = archives.with_warnings(fmt, archives.warnings_of(upload.format))
    except Invalid:
        upload.delete()
        discard(upload.stored_as)
        raise
    upload.save(update_fields=["format"])


def long_format(upload: Upload) -> ingest.LongFormat | None:
    """The columns of a file with one row for each variant and example; None for other files."""
    with opened(upload) as file:
        return ingest.detect_long(file, ingest.Format.from_dict(upload.format), LIMITS)


def first_columns(upload: Upload) -> dict[str, Sequence[Any]]:
    """The values of each column in the first 20 000 rows; raises `Invalid` if they cannot be read."""
    with opened(upload) as file:
        try:
            return ingest.first_columns(file, ingest.Format.from_dict(upload.format), LIMITS)
        except ingest.FileError as error:
            raise formats.refusal(error) from error


def choose(upload: Upload, choices: Mapping[str, Any]) -> None:
    """Store how the user wants the file to be read; raises `Invalid` if the file does not fit."""
    if upload.format["kind"] == "parquet":  # it has no choices
        return
    with opened(upload) as file:
        fmt = formats.sniff(file, upload.filename, choices).as_dict()
        upload.format = archives.with_warnings(fmt, archives.warnings_of(upload.format))
    upload.save(update_fields=["format"])


def preview(upload: Upload) -> ingest.Preview:
    """The first rows, read in the stored format."""
    key = upload.stored_as, upload.filename, canonical_json(upload.format)
    if (file_preview := _previews.get(key)) is None:
        _previews.put(key, file_preview := _preview(upload))
    return file_preview


def _preview(upload: Upload) -> ingest.Preview:
    fmt = ingest.Format.from_dict(upload.format)
    with opened(upload) as file:
        try:
            return ingest.preview(file, upload.filename, limits=LIMITS, fmt=fmt)
        except ingest.FileError as error:
            raise formats.refusal(error) from error


def warnings(upload: Upload, preview: ingest.Preview) -> list[ingest.FileWarning]:
    """Those about the format, such as a guessed encoding, and then those about the rows."""
    return [*dict.fromkeys((*ingest.Format.from_dict(upload.format).warnings, *preview.warnings))]


def chosen(upload: Upload) -> dict[str, Any]:
    """The stored way of reading, as choices; a Parquet file has none."""
    kind = upload.format["kind"]
    if kind == "parquet":
        return {}
    names = ("header", "sheet") if kind == "workbook" else CHOICES
    kept = {name: upload.format.get(name) for name in names}
    is_arranged = any(upload.format.get(name, True) for name in OPENED)
    return kept if is_arranged else kept | {"opened": False}


def unopened(upload: Upload) -> bool:
    """Read each object of the file as one column, as mappings of version 1 do; whether that changes anything.

    What is arranged in place stays: a mapping names the same columns either way.
    """
    changes = any(upload.format.get(name) for name in OPENED)
    upload.format = {**upload.format, **{name: [] for name in OPENED}}
    return changes


def touch(upload: Upload, mapping: dict[str, Any]) -> None:
    """Store the user's mapping of columns, and keep the file for another hour."""
    upload.mapping, upload.touched_at = mapping, leases.now()
    upload.save(update_fields=["mapping", "touched_at"])


def unfinished(project: Project, user: User) -> list[Upload]:
    """A user's files that wait to be confirmed, the last touched first; those of a variant belong to its experiment."""
    kept = Upload.objects.filter(project=project, user=user, touched_at__gte=leases.now() - KEPT_FOR)
    return [one for one in kept.order_by("-touched_at")[:MOST_UNFINISHED] if "experiment" not in one.mapping]


def withdraw(upload: Upload) -> None:
    """Delete a file that its user gave up."""
    if Upload.objects.filter(pk=upload.pk).delete()[0]:  # else an import took the file over
        transaction.on_commit(partial(discard, upload.stored_as))


def discard(stored_as: str) -> None:
    """Delete a file that is no longer needed; it may be gone already."""
    if not any(kind.objects.filter(stored_as=stored_as).exists() for kind in (Import, FailedImport)):
        default_storage.delete(stored_as)


def forget_unconfirmed() -> None:
    """Delete uploads that nobody confirmed within an hour."""
    for upload in Upload.objects.filter(touched_at__lt=leases.now() - KEPT_FOR):
        if Upload.objects.filter(pk=upload.pk).delete()[0]:  # else an import took the file over
            discard(upload.stored_as)


def forget_orphans() -> None:
    """Delete files that no row refers to, left by killed processes. Lists the whole storage."""
    forgotten = FailedImport.objects.filter(failed_at__lt=leases.now() - UNDO)
    RefusedRow.objects.filter(change=None, dataset__in=forgotten.values("dataset")).delete()
    forgotten.delete()
    for stored in _orphans():
        default_storage.delete(stored)


def clear_interrupted() -> None:
    """Delete partial uploads of killed web processes; running ones hold a lock on theirs."""
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*"):
        with suppress(FileNotFoundError), path.open("rb") as file:
            if time.time() - path.stat().st_mtime > UNLOCKED_FOR and _lock(file):
                path.unlink()


def _lock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _orphans() -> list[str]:
    """Our files that are older than an hour and that no row refers to."""
    old = [name for name in default_storage.listdir("")[1] if PARKED_NAME.fullmatch(name) and _is_old(name)]
    # Files before rows, uploads before imports: a row that moves meanwhile is then seen at least once.
    stored_names = {*Upload.objects.values_list("stored_as", flat=True)}
    stored_names.update(Import.objects.values_list("stored_as", flat=True))
    stored_names.update(FailedImport.objects.values_list("stored_as", flat=True))
    return [name for name in old if name not in stored_names]


def _is_old(stored_as: str) -> bool:
    try:
        return default_storage.get_modified_time(stored_as) < leases.now() - KEPT_FOR
    except FileNotFoundError:
        return False
