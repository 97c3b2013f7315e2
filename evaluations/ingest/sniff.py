"""Detects the format of a file: magic bytes first, then encoding, then delimiter; the file name decides the rest."""

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import orjson

from evaluations.files.codes import HINTS
from evaluations.files.formats import DELIMITERS, Format, Kind, Limits, checked_choices
from evaluations.files.problems import FileError, FileWarning
from evaluations.files.streams import at_most, binary_chunks, utf8_chunks
from evaluations.numerals import plural

from . import (
    delimiter,
    encoding,
    error_rows,
    escapes,
    field_grids,
    foreign,
    guard,
    headless,
    json_table,
    keyed_rows,
    label_columns,
    lifted,
    magic,
    nested,
    no_header,
    noted,
    opened,
    own_exports,
    parted,
    people,
    rater_rows,
    sides,
    workbook,
)
from .batch import Row
from .reader import open_rows

EXTENSIONS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "workbook"),
}
FIRST, FEW = 200, 3  # rows in which objects to open, and lists of rows, are looked for
NAMES = {"csv": "CSV", "jsonl": "JSON Lines", "json": "a JSON array", "parquet": "Parquet"}
NAMES["workbook"] = "a workbook"


def sniff(
    file: BinaryIO,
    filename: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    limits: Limits,
    whole: bool = True,
) -> Format:
    """Detect how to read the file; `overrides` (see `Format.override`) take precedence. Raises `FileError`.

    `whole` checks the encoding to the last byte, else only over the first megabyte.
    """
    choices = checked_choices(overrides or {})
    extension = _extension(filename)
    head = next(binary_chunks(file, False, limits))
    gzipped = head.startswith(magic.GZIP)
    if gzipped:
        head = next(binary_chunks(file, True, limits), b"")
        _refuse_inside_gzip(head)
    is_workbook = magic.is_workbook(head) and not foreign.is_foreign_zip(head)
    if not is_workbook:
        magic.refuse_other_types(head)
    if is_workbook:
        fmt = _workbook(file, choices, limits)
    elif head.startswith(magic.PARQUET):
        fmt = Format("parquet", encoding="binary")
    else:
        fmt = _text_format(file, Format("csv", gzipped), extension, choices, limits, whole)
    fmt = _arranged(file, fmt, choices, limits)
    return replace(fmt, notes=tuple(_notes(fmt, extension)))


def _extension(filename: str) -> str:
    name = PurePosixPath(filename.lower())
    return PurePosixPath(name.stem).suffix if name.suffix == ".gz" else name.suffix


def _refuse_inside_gzip(head: bytes) -> None:
    if not head:
        raise FileError("empty_file", "The gzip file is empty inside.")
    if head.startswith(magic.GZIP):
        raise FileError("compressed_file", "The file is compressed with gzip twice: not supported.")
    if head.startswith(magic.PARQUET):
        message = "A Parquet file inside gzip is not supported."
        raise FileError("compressed_file", message, hint="Unpack it; Parquet is compressed by itself.")


def _workbook(file: BinaryIO, choices: Mapping[str, Any], limits: Limits) -> Format:
    names = workbook.sheets(file, limits)
    sheet = choices.get("sheet") or names[0]
    if sheet not in names:
        listed = ", ".join(f"“{name[:80]}”" for name in names[:20])
        raise FileError("unknown_sheet", f"The workbook has no sheet “{sheet[:80]}”. It has: {listed}.")
    warnings: tuple[FileWarning, ...] = ()
    if len(names) > 1 and "sheet" not in choices and sheet != workbook.ALL_SHEETS:
        others = ", ".join(f"“{name[:80]}”" for name in names[1:20])
        message = f"The rows are read from the sheet “{sheet[:80]}”. Not imported: {others}."
        warnings = (FileWarning("several_sheets", message, HINTS["several_sheets"]),)
    fmt = Format("workbook", encoding="binary", sheet=sheet, sheets=tuple(names), warnings=warnings)
    return fmt.override({"header": choices.get("header")})


def _text_format(
    file: BinaryIO, fmt: Format, extension: str, choices: Mapping[str, Any], limits: Limits, whole: bool
) -> Format:
    if "encoding" in choices:
        fmt = fmt.override({"encoding": choices["encoding"]})
        encoding.check(file, fmt, limits, whole)
    else:
        fmt = encoding.detect(file, fmt, limits, whole)
    head = _head(file, fmt, limits)
    if "kind" not in choices and head.lstrip()[:1] not in ("{", "["):
        foreign.refuse_yaml(head, extension)
    foreign.refuse_foreign_json(head)
    if choices.get("kind", "json") == "json" and _may_be_object(head, extension):
        keyed = None if "rows" in choices else keyed_rows.find(head, limits)
        if keyed:
            fmt = replace(fmt, kind="json", names_in=keyed.column, list_number=keyed.number)
            fmt = replace(fmt, warnings=(*fmt.warnings, keyed_rows.warning(keyed)))
            return _flat(file, fmt, choices, limits)
        outer, inner = nested.parts_of(choices.get("rows", ""))
        rows = json_table.find(file, fmt, limits, outer)
        if rows:
            fmt = replace(fmt, kind="json", list_number=rows.number, names=rows.names, rows=rows.path)
            fmt = replace(fmt, warnings=(*fmt.warnings, rows.warning), nested=inner, lists=rows.others)
            return _flat(file, fmt, choices, limits)
        if extension == ".json":
            json_table.refuse_unfinished(file, fmt, limits)
    fmt = replace(fmt, kind=choices.get("kind") or kind_of(head, extension))
    if fmt.kind == "csv":
        named = delimiter.sep_line(head)
        mark = named or delimiter.vote(head, "\t" if extension in (".tsv", ".tab") else ",")
        mark = choices.get("delimiter") or mark
        header = "header" in choices or not headless.is_headless(head, mark)
        fmt = replace(
            fmt,
            header=header,
            delimiter=mark,
            sep_line=named is not None,
            guarded=guard.is_guarded(head, mark),
        )
        if "escape" not in choices:
            fmt = _with_quotes(fmt, head, mark)
        if "header" not in choices and no_header.is_row(head, mark):
            fmt = noted.warned(replace(fmt, header=False), "no_header", no_header.MESSAGE)
        return fmt.override(choices)
    fmt = replace(fmt.override(choices), nested=nested.parts_of(choices.get("rows", ""))[1])
    return _flat(file, fmt, choices, limits)


def _with_quotes(fmt: Format, head: str, mark: str) -> Format:
    """The format with what quotes inside cells mean."""
    if escapes.are_used(head, mark):
        return noted.warned(replace(fmt, escape=True), "csv_escape", escapes.MESSAGE)
    if escapes.are_letters(head, mark):
        return noted.warned(replace(fmt, escape=escapes.LETTERS), "csv_escape", escapes.AS_LETTERS)
    return fmt


def _flat(file: BinaryIO, fmt: Format, choices: Mapping[str, Any], limits: Limits) -> Format:
    """The format with the lists inside the rows, if these hold the rows."""
    rows = _first_rows(file, fmt, limits)
    inner = () if "rows" in choices else nested.find(rows[:FEW])
    if fmt.nested and fmt.rows:  # as chosen: the choice stays one of the lists
        path = nested.described(fmt.rows, fmt.nested)
        return replace(fmt, rows=path, lists=(*fmt.lists, path))
    if inner:
        path = nested.described(fmt.rows or "", inner)
        message = f"The rows are read from the inner lists “{path[:120]}”, with the fields of the objects around them."
        warning = FileWarning("json_nested_rows", message, HINTS["json_nested_rows"])
        lists = (*fmt.lists, path) if fmt.rows else ()
        return replace(fmt, nested=inner, rows=path, lists=lists, warnings=(*fmt.warnings, warning))
    return fmt


def _are_sides(rows: Sequence[Row]) -> bool:
    """Whether the answers of two models that change sides stand in columns, and another one names the better.

    Then no object is of variants: beside a battle those of moderation name the models that flagged it.
    """
    found = sides.find(rows)
    return found is not None and bool(found.better or found.scales)


def _arranged(file: BinaryIO, fmt: Format, choices: Mapping[str, Any], limits: Limits) -> Format:
    """The format with the columns to open, and with those that hold the answers of several variants."""
    fmt, rows = noted.with_printed(fmt, _first_rows(file, fmt, limits))
    if choices.get("opened") is False:
        return fmt
    if own := own_exports.find(rows):
        return noted.of_own(fmt, own)
    fmt, rows = noted.with_tasks(fmt, rows)
    fmt, said = _with_people(fmt, rows)
    has_sides = _are_sides(rows)
    by_variant = () if has_sides else parted.find([_without(row, said) for row in rows])
    if not fmt.nested and fmt.kind in ("json", "jsonl", "parquet"):
        columns = {one.column for one in by_variant} | said
        of_sides = () if by_variant else sides.objects(rows)
        columns |= {name for name, _ in of_sides}
        found_objects = opened.find([_without(row, columns) for row in rows])
        fmt = replace(fmt, opened=(*found_objects, *of_sides))
    if fmt.opened and not by_variant:
        rows = [opened.with_fields(row, fmt.opened) for row in rows]
        by_variant = () if has_sides else parted.find([_without(row, said) for row in rows])
    fmt, rows = noted.with_entities(fmt, rows)
    fmt, rows = noted.with_rated(fmt, rows)
    fmt, rows = noted.with_listed(fmt, rows)
    fmt, rows = noted.with_marked(fmt, rows)
    fmt, rows = noted.with_choice(fmt, rows)
    fmt, rows = noted.with_pair_scores(fmt, rows)
    fmt, rows = noted.with_joint_models(fmt, rows)
    fmt = noted.with_last_answers(fmt, rows)
    if by_variant:
        inside = " and ".join(f"“{one.column[:80]}”" for one in by_variant if one.output is not None)
        named = _variants(by_variant, rows)
        listed = ", ".join(name[:40] for name in named[:4])
        more = f" and {len(named) - 4} more" if len(named) > 4 else ""
        message = f"Found {plural(len(named), 'variant')} inside {inside}: {listed}{more}."
        return noted.warned(replace(fmt, parted=tuple(map(tuple, by_variant))), "outputs_by_variant", message)
    votes = [people.Said(*one) for one in fmt.said]
    if found := sides.find([people.with_columns(row, votes) for row in rows]):
        both = " and ".join(f"“{name[:80]}”" for name in found.answers)
        message = f"The answers in {both} are columns of their models, which change sides from row to row."
        if found.preferred == sides.PREFERRED and found.better:
            listed = ", ".join(f"“{name[:80]}”" for name in found.better)
            message += f" “{sides.PREFERRED}” is what most of {listed} say."
        return noted.warned(replace(fmt, sides=tuple(found)), "sides_by_model", message)
    if of_answers := _joined_or_objects(fmt, rows):
        return of_answers
    return noted.with_numbers(*_with_lifted(fmt, rows))


def _with_lifted(fmt: Format, rows: Sequence[Row]) -> tuple[Format, Sequence[Row]]:
    """The format with fields inside objects that become columns, and the rows as it reads them."""
    fields = lifted.find(rows)
    if not fields:
        return fmt, rows
    column, field = fields[0]
    message = f"“{field[:80]}” in “{column[:80]}” names several models, so it is a column."
    lifting = noted.warned(replace(fmt, lifted=fields), "model_inside", message)
    return lifting, [lifted.with_fields(row, fields) for row in rows]


def _variants(by_variant: Sequence[parted.Parted], rows: Sequence[Row]) -> list[str]:
    return [*dict.fromkeys(name for row in rows for name in parted.members(by_variant[0], row))]


def _joined_or_objects(fmt: Format, rows: Sequence[Row]) -> Format | None:
    """The format where rows of one answer are joined, or columns of its fields or labels are one object."""
    if found_errors := error_rows.find(rows):
        message = f"The rows of each answer are one, with the sum of its penalties as “{error_rows.PENALTY}”."
        return noted.warned(replace(fmt, error_rows=tuple(found_errors)), "rows_of_errors", message)
    if of_raters := rater_rows.find(rows):
        same, count = rater_rows.agreement(of_raters, rows)
        message = (
            f"What several people in “{of_raters.rater[:80]}” said of an answer is one row, and their mean counts. "
            f"They say the same of {same} of the first {count} answers."
        )
        return noted.warned(replace(fmt, rater_rows=tuple(of_raters)), "rows_of_raters", message)
    if grid := field_grids.find(rows):
        models = " and ".join(f"“{name[:80]}”" for name, _ in grid.models[:4])
        message = f"The fields that {models} read are an object for each, and so are the right ones, “{grid.expected}”."
        return noted.warned(replace(fmt, grid=tuple(grid)), "fields_by_model", message)
    if labels := label_columns.find(rows):
        return noted.warned(replace(fmt, grid=tuple(labels)), "labels_beside_each_other", _of_labels(labels))
    return None


def _of_labels(labels: field_grids.Grid) -> str:
    """What became of several labels with a right column each."""
    names = [name[:40] for name, _ in labels.right]
    listed = f"{', '.join(names[:6])}{f' and {len(names) - 6} more' if len(names) > 6 else ''}"
    said = " and ".join(f"“{name[:80]}”" for name, _ in labels.models[:4])
    message = (
        f"{len(names)} labels have a right column each: {listed}. They are one object, “{labels.expected}”, beside "
        f"{said}, and each label is compared with its own right column."
    )
    mark = f" Rows with {labels.unsaid} in all right columns have no right answer." if labels.unsaid else ""
    return message + mark


def _with_people(fmt: Format, rows: Sequence[Row]) -> tuple[Format, set[str]]:
    """The format with what people said inside columns, and the columns that say it."""
    found = people.find(rows)
    if not found:
        return fmt, set()
    names = ", ".join(f"“{one.name[:80]}”" for one in found)
    message = f"What people said inside the rows is a column for each question, with what most said: {names}."
    fmt = replace(fmt, said=tuple(map(tuple, found)))
    return noted.warned(fmt, "answers_of_people", message), people.columns_of(found)


def _without(row: Row, columns: Set[str]) -> Row:
    return Row((name, value) for name, value in row.items() if name not in columns) if columns else row


def _first_rows(file: BinaryIO, fmt: Format, limits: Limits) -> Sequence[Row]:
    """The first rows, up to where the file cannot be read, which its reader will report."""
    rows: list[Row] = []
    with suppress(FileError):
        for batch in open_rows(file, fmt, limits).head(FIRST, limits.row_characters, encoding.SECONDS):
            rows += batch.rows
    return rows[:FIRST]


def _head(file: BinaryIO, fmt: Format, limits: Limits) -> str:
    """The first non-blank lines, about a quarter of a megabyte, without an incomplete last line."""
    chunks = at_most(utf8_chunks(file, fmt, limits), encoding.CHECKED, encoding.SECONDS)
    first = next((chunk for chunk in chunks if not chunk.isspace() and chunk), b"")
    if not first:
        raise FileError("empty_file", "The file is empty: it has no text but white space.")
    # Blank lines may fill most of this chunk, so the next one is read too.
    head = (first.lstrip(b"\r\n") + next(chunks, b"")).decode()
    return head.rpartition("\n")[0] or head if next(chunks, b"") else head


def kind_of(head: str, extension: str) -> Kind:
    """The text format, by the beginning of the text; raises `FileError` for a JSON file that is one object.

    A file named .csv is JSON only if its first line is: a header may begin with a bracket.
    """
    named = EXTENSIONS.get(extension, "csv")
    text = head.lstrip()
    if text.startswith("{"):
        first, _, more = text.partition("\n")
        if _is_object(first):
            if not more.strip():
                foreign.refuse_table_in_object(first)
            return "jsonl"
        if named == "json":
            foreign.refuse_table_in_object(text)
            message = "The JSON file is one object, not an array of objects."
            raise FileError("json_not_an_array", message, {"line": 1})
        return "jsonl" if named != "csv" else "csv"
    if text.startswith("[") and (named in ("json", "jsonl") or text[1:].lstrip().startswith(("{", "]"))):
        return "json"
    return named if named in ("json", "jsonl") else "csv"


def _may_be_object(head: str, extension: str) -> bool:
    """Whether the text may be one JSON object: not lines, nor CSV."""
    text = head.lstrip()
    first, _, more = text.partition("\n")
    if _is_object(first):
        return not more.strip()
    return text.startswith("{") and EXTENSIONS.get(extension, "csv") in ("json", "jsonl")


def _is_object(line: str) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _notes(fmt: Format, extension: str) -> list[str]:
    notes = [f"The file is {NAMES[fmt.kind]}{', compressed with gzip' if fmt.gzip else ''}."]
    if EXTENSIONS.get(extension, fmt.kind) != fmt.kind:
        notes.append(f"Its name ends with {extension}, but its content decides.")
    if fmt.delimiter:
        notes.append(f"Cells are separated by {DELIMITERS[fmt.delimiter]}.")
    if fmt.kind == "csv" and not fmt.header:
        notes.append("No row names the columns.")
    if fmt.sep_line:
        notes.append("The first line, written by Excel to name the delimiter, is left out.")
    if fmt.guarded:
        notes.append("An apostrophe before =, +, - or @, which exports add for spreadsheets, is left out.")
    if fmt.encoding not in ("utf-8", "binary"):
        notes.append(f"The encoding is {fmt.encoding}.")
    return notes
