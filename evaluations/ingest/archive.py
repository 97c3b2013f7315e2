"""Reads a ZIP archive of tables, such as the folder of a benchmark's results, as one table: see `joined`."""

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple

import orjson

from evaluations import strict_json
from evaluations.files.codes import HINTS
from evaluations.files.formats import Limits
from evaluations.files.problems import FileError, FileWarning
from evaluations.files.streams import megabytes
from evaluations.files.text import clean_json
from evaluations.numerals import grouped

from . import (
    columnar,
    example_files,
    filled,
    id_lists,
    instances,
    joined,
    json_object,
    line_files,
    lost_header,
    magic,
    object_tables,
    tagged,
    tails,
    trec,
    turns,
)
from .batch import Row
from .file_tables import Table
from .foreign import is_foreign_zip
from .member_names import bare, is_called_text, is_hidden, is_text, may_be_table
from .reader import open_rows
from .sniff import sniff

MOST_BYTES = 20_000_000  # of an archive
MOST_OF_OBJECT = 3_000_000  # bytes of a JSON object in which tables are looked for
MOST_UNPACKED = 40_000_000  # bytes of all its tables
MOST_MEMBERS = 10_000
MOST_TABLES = 200
FEWEST = 5  # members of an object of names and answers
CODE = "archive_joined"
HOW = "Upload the files one by one: “Add a variant” on an experiment takes further ones with its examples."
HEAD = 64 * 1024  # bytes by which an archive of a program is recognised
FIRST_LINE = 1_000_000  # bytes by which a file without the name of a table is known as one
SHOWN = 80  # characters of the end of a path
_ENTRY = b"PK\x01\x02"  # mark of an entry in the list at the end of an archive
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(NotImplementedError, EOFError, RuntimeError, ValueError, OSError),
)


def packed(files: Mapping[str, BinaryIO]) -> bytes:
    """An archive of files that were sent together, by name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files.items():
            archive.writestr(name, file.read())
    return content.getvalue()


class Unpacked(NamedTuple):
    """One file in place of the archive, and a warning that says what became of the others, if there are any."""

    name: str  # "" if it is joined of several
    content: bytes
    warning: FileWarning | None = None


def is_archive(file: BinaryIO) -> bool:
    """Whether the file is a ZIP archive that no program wrote as its document, workbook or log."""
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")].decode("utf-8", "replace")
    if not head.startswith(magic.ZIP) or is_foreign_zip(head):
        return False
    return may_be_table(first) or not magic.is_of_office(head)  # a workbook inside shows the marks of one


def unpacked(content: bytes, limits: Limits) -> Unpacked:
    """The only table of an archive, or all of them joined as JSON Lines; raises `FileError` if nothing joins them."""
    texts, others = _texts(content)
    not_read = {"no table by its name": others} if others else {}
    if len(texts) == 1:
        [path] = texts
        told = _not_read(not_read)
        sentences = unpacked_sentences(texts[path])
        return sentences or Unpacked(PurePosixPath(path).name, texts[path], _warning(told))
    of_examples, taken = example_files.tables(texts)
    rest = {path: content for path, content in texts.items() if path not in taken}
    if len(rest) > MOST_TABLES:
        raise FileError("bytes_limit", f"The archive holds more than {grouped(MOST_TABLES)} tables.")
    tables, told, refused = _tables(rest, limits)
    tables |= {table.path: table for table in of_examples}
    told += example_files.told(of_examples)
    told += _not_read(refused | not_read)
    if not tables:
        raise FileError(
            "compressed_file", f"None of the files is a table. {' '.join(told)}".strip(), hint=HOW
        )
    if len(tables) == 1:
        [path] = tables
        return Unpacked(PurePosixPath(path).name, texts[path], _warning(told))
    of_what = "folders or kinds of files" if of_examples else "files"
    return _joined([*lost_header.with_first_rows(tables).values()], of_what, told)


def may_hold_tables(file: BinaryIO) -> bool:
    """Whether a file begins as one JSON object, and not as JSON Lines."""
    file.seek(0)
    head = file.read(HEAD).lstrip()
    file.seek(0)
    return head.startswith(b"{") and b"\n{" not in head


def unpacked_object(content: bytes) -> Unpacked | None:
    """The table that an object has by column, or its tables of outputs of variants joined, as JSON Lines; else None.

    Raises `FileError` if nothing joins them.
    """
    if rows := columnar.rows(content) or id_lists.rows(content):
        return Unpacked("", _lines(rows))
    tables = object_tables.find(content)
    return _joined(tables, "parts of the object", []) if tables else None


def unpacked_sentences(content: bytes) -> Unpacked | None:
    """The sentences of a text with tagged words as JSON Lines, if it has what is right beside what models say."""
    found = tagged.rows(content) if tagged.is_begun(content) else []
    how = "The words of each sentence are one row, and their tags are entities."
    return Unpacked("", _lines(found), FileWarning(CODE, how, HINTS[CODE])) if found else None


def _lines(rows: Sequence[Row]) -> bytes:
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _joined(tables: Sequence[Table], of_what: str, told: Sequence[str]) -> Unpacked:
    found = joined.joined(tables)
    whole = f"{grouped(len(tables))} {of_what} are read as one table."
    return Unpacked("", _lines(found.rows), _warning([whole, *found.told, *told]))


def _warning(told: Sequence[str]) -> FileWarning | None:
    return FileWarning(CODE, " ".join(dict.fromkeys(told)), HINTS[CODE]) if told else None


def _not_read(paths: Mapping[str, Sequence[str]]) -> list[str]:
    """Sentences about files that are not read, by reason."""
    return [f"Not read: {_listed(of_reason)} ({reason})." for reason, of_reason in paths.items()]


def _texts(content: bytes) -> tuple[dict[str, bytes], list[str]]:
    """The contents of the files that may be tables, by path, and the paths of the others."""
    if content.count(_ENTRY) > MOST_MEMBERS:
        raise FileError("bytes_limit", f"The archive holds more than {grouped(MOST_MEMBERS)} files.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            paths = [path for path in archive.namelist() if not is_hidden(path)]
            named = [path for path in paths if may_be_table(path) or _begins_as_json(archive, path)]
            if len(named) - len(example_files.places(named)) > MOST_TABLES:
                raise FileError("bytes_limit", f"The archive holds more than {grouped(MOST_TABLES)} tables.")
            if all(map(is_called_text, named)):
                named += _of_lines(archive, named, [path for path in paths if path not in named])
            if not named:
                raise FileError(
                    "compressed_file", "The archive has no file whose name ends as that of a table.", hint=HOW
                )
            found, room = dict[str, bytes](), MOST_UNPACKED
            for path in named:
                with archive.open(path) as file:
                    found[path] = file.read(room + 1)  # its entry may say a wrong size
                room -= len(found[path])
                if room < 0:
                    message = f"The archive unpacks to more than {megabytes(MOST_UNPACKED)}."
                    raise FileError("bytes_limit", message)
    except _DAMAGED as damage:
        raise FileError(
            "compressed_file", f"The ZIP archive cannot be read: {str(damage)[:200]}."
        ) from damage
    return found, [path for path in paths if path not in found]


def _of_lines(archive: zipfile.ZipFile, texts: Sequence[str], others: Sequence[str]) -> list[str]:
    """The other files that are texts with as many lines as a text or as another one."""
    sizes = {path: archive.getinfo(path).file_size for path in (*texts, *others)}
    if len(others) > MOST_TABLES or sum(sizes.values()) > MOST_UNPACKED:
        return []
    known = [len(archive.read(path).splitlines()) for path in texts]
    return line_files.of_equal_length({path: archive.read(path) for path in others}, known)


def _begins_as_json(archive: zipfile.ZipFile, path: str) -> bool:
    """Whether the first line of a file is an object, whatever its name ends in, such as "v1.0.dev"."""
    with archive.open(path) as file:
        line = file.readline(FIRST_LINE).strip()
    try:
        return line.startswith(b"{") and isinstance(strict_json.parse(line), dict)
    except strict_json.JSONError:
        return False


def _tables(
    texts: Mapping[str, bytes], limits: Limits
) -> tuple[dict[str, Table], list[str], dict[str, list[str]]]:
    """The tables with rows, by path; sentences about rows that cannot be read; and paths not read, by reason."""
    tables, told, refused = dict[str, Table](), list[str](), dict[str, list[str]]()
    plain_texts = {path: content for path, content in texts.items() if is_text(path, content)}
    of_queries = _of_queries(texts, plain_texts)
    tables |= {path: Table(bare(path), rows) for path, rows in of_queries.items()} | _tagged(plain_texts)
    for path, content in texts.items():
        if path in plain_texts or path in of_queries:
            continue
        try:
            rows, problem = _rows(path, content, limits)
        except FileError as error:
            refused.setdefault(error.message.rstrip("."), []).append(path)
            continue
        if problem:
            told.append(problem)
        if rows and of_queries:
            if said := trec.beside_runs(rows, [*of_queries.values()]):
                tables[path] = Table(bare(path), said)
            else:
                refused.setdefault("it has the documents that are ranked", []).append(path)
        elif rows:
            tables[path] = Table(bare(path), _arranged(rows))
        else:
            refused.setdefault("it has no rows", []).append(path)
    lined = {path: content for path, content in plain_texts.items() if path not in tables}
    by_line = line_files.tables(lined)
    told += line_files.told([*by_line])
    if unlike := [path for path in lined if path not in by_line]:
        refused["no other text has as many lines"] = unlike
    return tables | by_line, told, refused


def _of_queries(texts: Mapping[str, bytes], plain_texts: Collection[str]) -> dict[str, list[Row]]:
    """The rankings and judgements by query; tables without names of columns are some only if one of them ranks."""
    may_be = [path for path in texts if path in plain_texts or path.lower().endswith(".tsv")]
    found = {path: rows for path in may_be if (rows := trec.rows(texts[path]))}
    is_ranked = any(trec.RANKED in rows[0] for rows in found.values())
    return {path: rows for path, rows in found.items() if is_ranked or path in plain_texts}


def _tagged(texts: Mapping[str, bytes]) -> dict[str, Table]:
    """The tables of sentences whose words are tagged."""
    sentences = {path: tagged.rows(content) for path, content in texts.items()}
    return {path: Table(bare(path), rows, has_keys=False) for path, rows in sentences.items() if rows}


def _arranged(rows: list[Row]) -> list[Row]:
    return filled.arranged(turns.arranged(instances.arranged(rows)))


def _listed(paths: Sequence[str]) -> str:
    """The first path, and how many more there are."""
    return f"“{paths[0][-SHOWN:]}”" + (f" and {grouped(len(paths) - 1)} more" if len(paths) > 1 else "")


def _rows(path: str, content: bytes, limits: Limits) -> tuple[list[Row], str]:
    """The rows of a table as they are in the file, and a sentence about those that cannot be read, or ""."""
    if of_object := columnar.rows(content) or id_lists.rows(content):
        return of_object, ""
    if answers := _answers(content):
        answers, marks = tails.cut(answers)
        told = [
            f"“{mark}” and the word behind it are cut off in “{path[-SHOWN:]}”." for mark in marks.values()
        ]
        return answers, " ".join(told)
    file = io.BytesIO(content)
    fmt = sniff(file, path, {"opened": False}, limits=limits)
    reader = open_rows(file, fmt, limits)
    rows = [row for batch in reader for row in batch.rows]
    if not reader.error_count:
        return rows, ""
    first = reader.errors[0].message.rstrip(".")
    return rows, f"Rows of “{path[-SHOWN:]}” that cannot be read: {grouped(reader.error_count)} ({first})."


def _answers(content: bytes) -> list[Row]:
    """The rows of an object with an answer under the name of each example: {"ex-1": "Paris", "ex-2": "Rome"}.

    Several such objects inside one are about the same examples, beside sums such as {"acc": 0.5, "results": {…}}.
    """
    found = json_object.of_file(content)
    if found is None:
        return []
    if _names_answers(found):
        return [clean_json({"id": name, "prediction": value}) for name, value in found.items()]
    inside = {name: value for name, value in found.items() if _names_answers(value)}
    first: dict[str, Any] = next(iter(inside.values()), {})
    about = {name: value for name, value in found.items() if _is_about(value, first)}
    others = [value for name, value in found.items() if name not in about]
    if inside.keys() - about or any(map(_is_structure, others)):
        return []
    return [clean_json({"id": key} | {name: one[key] for name, one in about.items()}) for key in first]


def _is_about(value: Any, first: Mapping[str, Any]) -> bool:
    """Whether a value has something under the names of the same examples."""
    return isinstance(value, dict) and bool(value) and value.keys() == first.keys()


def _names_answers(value: Any) -> bool:
    """Whether a value has a plain one under each of several names; shares beside texts are the summary of a run."""
    if not isinstance(value, dict) or len(value) < FEWEST or any(map(_is_structure, value.values())):
        return False
    are_shares = any(isinstance(one, float) and one % 1 for one in value.values())
    return not (are_shares and any(isinstance(one, str) for one in value.values()))


def _is_structure(value: Any) -> bool:
    return isinstance(value, dict | list)
