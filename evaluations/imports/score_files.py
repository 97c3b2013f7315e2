"""Files of scores: a row for each example, read into what is sent to a run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.experiments.sent_scores import MOST
from evaluations.models import Upload
from evaluations.numerals import grouped
from evaluations.values import JSON, text_of

from .columns.score_columns import with_point
from .uploads import formats, uploads

# The names by which a column is recognised, if none is chosen
MOST_DIGITS = 10  # of a position
PARTS = {
    "key": ("key", "id"),
    "position": ("position",),
    "value": ("value", "score"),
    "label": ("label",),
    "error": ("error",),
    "note": ("note", "comment"),
    "by": ("by", "rater"),
}
IDENTIFIES = ("key", "position")
JUDGES = ("value", "label", "error")


class ScoreFile(NamedTuple):
    """The rows as scores, the column of each part, and the columns that were not read."""

    scores: list[dict[str, Any]]
    columns: dict[str, str]
    left_out: list[str]


def read(upload: Upload, chosen: Mapping[str, Any]) -> ScoreFile:
    """Read all rows. `chosen` names the columns of parts; others are recognised by their names.

    Raises `Invalid` if a column is missing, a row cannot be read, or there are too many.
    """
    with uploads.opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        try:
            rows = [row for batch in reader for row in batch.rows if _fits(reader)]
        except ingest.FileError as error:
            raise formats.refusal(error) from error
    if reader.errors:
        first = reader.errors[0]
        raise Invalid(
            first.code, f"{first.message} Nothing was stored.", hint=first.hint, where={**first.where}
        )
    columns = _columns(reader.columns, chosen)
    return ScoreFile(
        list(_scores(rows, columns)),
        columns,
        [name for name in reader.columns if name not in columns.values()],
    )


def _fits(reader: ingest.Reader) -> bool:
    if reader.rows_seen > MOST:
        raise Invalid(
            "too_many_scores",
            f"The file has more than {grouped(MOST)} rows.",
            hint="Split the file; the last score of an example counts.",
        )
    return True


def _columns(names: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, str]:
    if unknown := [part for part in chosen if part not in PARTS]:
        raise _wrong(f"“{unknown[0]}” is no part of a score; the parts are {', '.join(PARTS)}.")
    by_name = {name.strip().lower(): name for name in names}
    columns: dict[str, str] = {}
    for part, usual in PARTS.items():
        column = chosen.get(part) or next((by_name[name] for name in usual if name in by_name), None)
        if column is not None and column not in names:
            raise _wrong(f"The file has no column “{column}”; it has {', '.join(names)}.")
        if column is not None:
            columns[part] = column
    for parts in (IDENTIFIES, JUDGES):
        if not any(part in columns for part in parts):
            raise _wrong(
                f"No column has the {' or '.join(parts)} of each row; the file has {', '.join(names)}.",
            )
    return columns


def _wrong(message: str) -> Invalid:
    hint = 'Name the columns, as in {"key": "id", "value": "rating"}.'
    return Invalid("missing_column", message, hint=hint, fields={"columns": [message]})


def _scores(rows: Sequence[Mapping[str, JSON]], columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        score: dict[str, Any] = {part: row.get(column) for part, column in columns.items()}
        for part in ("label", "error", "note", "by"):
            score[part] = text_of(score.get(part)) or None
        score["position"] = _position(score.get("position"))
        score["value"] = with_point(score.get("value"))
        yield score


def _position(value: JSON) -> int | None:
    """A position as files write it: a number, also with the fraction 0 as workbooks have it, or its digits."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() and len(value) <= MOST_DIGITS else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None
