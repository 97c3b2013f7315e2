"""Columns of a file with outside scores: the variant and the name of each."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import ingest
from evaluations.errors import Invalid
from evaluations.values import JSON, stored_json

LONGEST = 200
MOST_SCORES = 100
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(0,\d+|\d+,(\d\d?|\d{4,}))\s*", re.ASCII)


class ScoreColumn(NamedTuple):
    """One column; `variant` is "" where the rows name their variants themselves."""

    name: str
    variant: str
    column: str


def checked(sent_scores: Any, columns: Iterable[str], variants: Sequence[str]) -> tuple[ScoreColumn, ...]:
    """The columns of {"COMET": column} (outputs in one column) or {"COMET": {variant: column}}; raises `Invalid`."""
    if not sent_scores:
        return ()
    if not isinstance(sent_scores, dict):
        raise _invalid("scores must be an object from names to columns.")
    scores = tuple(
        score for name, sources in sent_scores.items() for score in _of_name(name, sources, variants)
    )
    if len(sent_scores) > MOST_SCORES:
        raise _invalid(f"At most {MOST_SCORES} scores for each output.")
    file_columns = set(columns)
    for score in scores:
        if score.column not in file_columns:
            raise Invalid(
                "missing_column",
                f"There is no column “{score.column}”. The file has: {', '.join([*file_columns][:20])}.",
                fields={"mapping.scores": [f"No column “{score.column}”."]},
            )
    return scores


def _of_name(name: str, sources: Any, variants: Sequence[str]) -> list[ScoreColumn]:
    if not name.strip() or len(name) > LONGEST:
        raise _invalid(f"The name of a score must have 1 to {LONGEST} characters.")
    if not variants:
        raise _invalid(
            "Scores belong to outputs, and no column has outputs. Metadata columns can be read with the path "
            "$.metadata."
        )
    if isinstance(sources, str):
        if len(variants) > 1:
            raise _invalid(f"{name}: say which variant each column belongs to, as {{variant: column}}.")
        sources = {variants[0]: sources}
    if not isinstance(sources, dict) or not all(isinstance(column, str) for column in sources.values()):
        raise _invalid(f"{name}: a column, or an object from variants to columns, is expected.")
    if unknown := set(sources) - set(variants):
        raise _invalid(f"{name}: no outputs belong to the variant “{min(unknown)}”.")
    return [ScoreColumn(name.strip(), variant, column) for variant, column in sources.items()]


def lower_is_better(sent_names: list[str] | None, scores: Iterable[ScoreColumn]) -> tuple[str, ...]:
    """The names of scores of which less is better."""
    names = {score.name for score in scores}
    if not set(sent_names or []) <= names:
        raise Invalid(
            "invalid_mapping",
            "lower_is_better lists names of scores.",
            fields={"mapping.lower_is_better": ["Only names of scores are expected."]},
        )
    return tuple(dict.fromkeys(sent_names or []))


def by_variant(scores: Iterable[ScoreColumn]) -> dict[str, list[ScoreColumn]]:
    columns: dict[str, list[ScoreColumn]] = {}
    for score in scores:
        columns.setdefault(score.variant, []).append(score)
    return columns


def texts(batch: ingest.Batch, scores: Sequence[ScoreColumn]) -> list[str | None]:
    """The scores of one variant as the JSON object that is stored beside each output; None where there is none."""
    rows = zip(*(map(with_point, batch.column(score.column)) for score in scores), strict=True)
    return [text({score.name: value for score, value in zip(scores, row, strict=True)}) for row in rows]


def with_point(value: JSON) -> JSON:
    """A text that is a number with a decimal comma, as spreadsheets of many countries write it, with a point.

    >>> with_point("0,701"), with_point("-12,5"), with_point("1,234"), with_point("good")
    ('0.701', '-12.5', '1,234', 'good')

    Three digits after the comma may be thousands, and stay as they are.
    """
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
        return value.replace(",", ".")
    return value


def text(values: Mapping[str, JSON]) -> str | None:
    """Scores as they are stored; empty values are left out."""
    filled = {name: value for name, value in values.items() if value is not None and value != ""}
    return stored_json(filled) if filled else None


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_mapping", message, fields={"mapping.scores": [message]})
