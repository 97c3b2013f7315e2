"""Columns of a file, and paths into columns, that hold outside scores, with their variant and name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import ingest, jsonpath
from evaluations.errors import Invalid
from evaluations.ingest import penalties, several_raters, unsaid
from evaluations.linear import Pattern
from evaluations.values import JSON, LONGEST_NAME, stored_json

from . import column_paths, preferences
from .column_names import placed

MOST_SCORES = 100
_PERCENT = Pattern(r"\s*([+-]?\d[\d.,]*)\s*%\s*")
_DECIMAL_COMMA = Pattern(r"[\s\v]*[+-]?(0,\d+|\d+,(\d\d?|\d{4,}))[\s\v]*")


class ScoreColumn(NamedTuple):
    """One column or path; `variant` is "" if the rows name their variants.

    `path` leads to the score inside the column; it is "" if the cells are the scores. `among` are the variants of which
    the cells name the preferred one, each with the column of its outputs; it is empty if they are scores.
    """

    name: str
    variant: str
    column: str
    path: str = ""
    among: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> str:
        """How a mapping names it."""
        return self.path or self.column

    @classmethod
    def of_stored(cls, fields: Sequence[Any]) -> "ScoreColumn":
        """The column from the list in which it is stored."""
        stored = cls(*fields)
        return stored._replace(among=tuple((variant, source) for variant, source in stored.among))


def checked(sent_scores: Any, columns: Sequence[str], outputs: Mapping[str, str]) -> tuple[ScoreColumn, ...]:
    """Validate scores: {"COMET": source} (outputs in one column) or {"COMET": {variant: source}}; raises `Invalid`.

    `outputs` are the sources of the outputs by variant. A source is a column or a path into one, or a list of those of
    several raters; the same for several variants names the preferred one of them.
    """
    if not sent_scores:
        return ()
    if not isinstance(sent_scores, dict):
        raise _invalid("scores must be an object from names to columns.")
    scores = tuple(
        _placed(score, columns)
        for name, sources in sent_scores.items()
        for score in _of_name(name, sources, outputs)
    )
    if len(sent_scores) > MOST_SCORES:
        raise _invalid(f"At most {MOST_SCORES} scores for each output.")
    return scores


def _placed(score: ScoreColumn, columns: Sequence[str]) -> ScoreColumn:
    column, path = placed(score.column, columns, "scores")
    return score._replace(column=column, path=path)


def _of_name(name: str, sources: Any, outputs: Mapping[str, str]) -> list[ScoreColumn]:
    if not name.strip() or len(name) > LONGEST_NAME:
        raise _invalid(f"The name of a score must have 1 to {LONGEST_NAME} characters.")
    if not outputs:
        raise _invalid(
            "Scores belong to outputs, and no column has outputs. Metadata columns can be read with the path "
            "$.metadata."
        )
    if isinstance(sources, str | list):
        if len(outputs) > 1:
            raise _invalid(f"{name}: say which variant each column belongs to, as {{variant: column}}.")
        sources = dict.fromkeys(outputs, sources)
    if not isinstance(sources, dict) or not all(map(_are_columns, sources.values())):
        raise _invalid(f"{name}: a column, or an object from variants to columns, is expected.")
    if unknown := set(sources) - set(outputs):
        raise _invalid(f"{name}: no outputs belong to the variant “{min(unknown)}”.")
    return [
        ScoreColumn(name.strip(), variant, column, among=_sharing(column, sources, outputs))
        for variant, named in sources.items()
        for column in ([named] if isinstance(named, str) else named)
    ]


def _are_columns(named: Any) -> bool:
    """Whether this is a column, or a list of those of several raters."""
    listed = named if isinstance(named, list) else [named]
    return (
        bool(listed) and all(isinstance(column, str) for column in listed) and len({*listed}) == len(listed)
    )


def _sharing(
    column: str, sources: Mapping[str, Any], outputs: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The variants that have a column in common, with the sources of their outputs; none if it is that of one."""
    sharing = tuple(
        (variant, outputs[variant])
        for variant, source in sources.items()
        if source == column or (isinstance(source, list) and column in source)
    )
    return sharing if len(sharing) > 1 else ()


def named_by(raters: Sequence[ScoreColumn]) -> str | list[str]:
    """How a mapping names one score of one variant: its column, or the list of those of several raters."""
    sources = [column.source for column in raters]
    return sources[0] if len(sources) == 1 else sources


def lower_is_better(sent_names: list[str] | None, scores: Iterable[ScoreColumn]) -> tuple[str, ...]:
    """The names of scores for which lower is better."""
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


def texts(batch: ingest.Batch, scores: Sequence[ScoreColumn], decimal: str = "") -> list[str | None]:
    """The scores of one variant as the JSON objects stored beside its outputs; None for rows without scores."""
    by_name = {name: columns for (name, _), columns in by_name_and_variant(scores).items()}
    rows = zip(*(of_raters(batch, columns, decimal) for columns in by_name.values()), strict=True)
    return [text(dict(zip(by_name, row, strict=True))) for row in rows]


def of_raters(batch: ingest.Batch, columns: Sequence[ScoreColumn], decimal: str = "") -> list[JSON]:
    """One score of each row; a list where several columns have what each rater said of the output."""
    said = [values(batch, column, decimal) for column in columns]
    if len(said) == 1:
        return said[0]
    rows = ([value for value in row if value not in (None, "")] for row in zip(*said, strict=True))
    return [row if len(row) > 1 else next(iter(row), None) for row in rows]


def by_name_and_variant(scores: Iterable[ScoreColumn]) -> dict[tuple[str, str], list[ScoreColumn]]:
    """The columns of each score of each variant: several are of several raters."""
    columns: dict[tuple[str, str], list[ScoreColumn]] = {}
    for score in scores:
        columns.setdefault((score.name, score.variant), []).append(score)
    return columns


def values(batch: ingest.Batch, score: ScoreColumn, decimal: str = "") -> list[JSON]:
    """The score of each row; None if it has none. `decimal` is the chosen sign before decimals, "" if it is guessed."""
    cells = (
        column_paths.reader(jsonpath.compile(score.path))(batch) if score.path else batch.column(score.column)
    )
    if score.among:
        place = [variant for variant, _ in score.among].index(score.variant)
        known = {f"{cell}": cell for cell in cells}  # a million rows name a few
        scores = {text: preferences.score(cell, place, score.among) for text, cell in known.items()}
        return [scores[f"{cell}"] for cell in cells]
    if any(is_list(cell) for cell in cells):
        return [penalties.points(cell) if is_list(cell) else cell for cell in cells]
    cells = [None if isinstance(cell, str) and unsaid.is_unsaid(cell) else cell for cell in cells]
    cells = [several_raters.marks_of(cell) or without_percent(cell) for cell in cells]
    read = {"": with_point, ",": after_comma, ".": after_point}[decimal]
    return unsaid.without_minus_one([*map(read, cells)])


def is_list(value: JSON) -> bool:
    """Whether a value is a list of errors, which may be empty."""
    return (isinstance(value, list) or f"{value}".lstrip()[:1] == "[") and penalties.points(value) is not None


def without_percent(value: JSON) -> JSON:
    """The number of a text in per cent, as a text.

    >>> without_percent("85 %"), without_percent("7,5%"), without_percent("50 % done"), without_percent(3)
    ('85', '7,5', '50 % done', 3)
    """
    found = _PERCENT.fullmatch(value) if isinstance(value, str) and value.rstrip().endswith("%") else None
    return found[1] if found else value


def after_comma(value: JSON) -> JSON:
    """The number of a text with a decimal comma; points and blanks group its digits.

    >>> after_comma("1.234,5"), after_comma("0,701"), after_comma("good"), after_comma(1.5)
    ('1234.5', '0.701', 'good', 1.5)
    """
    return _ungrouped(value, ".", ",") if isinstance(value, str) else value


def after_point(value: JSON) -> JSON:
    """The number of a text with a decimal point; commas and blanks group its digits.

    >>> after_point("1,234.5"), after_point("a, b")
    ('1234.5', 'a, b')
    """
    return _ungrouped(value, ",", ".") if isinstance(value, str) else value


def _ungrouped(text: str, group: str, decimal: str) -> str:
    number = "".join(text.split()).replace(group, "").replace(decimal, ".")
    return number if number.strip("+-").replace(".", "", 1).isdecimal() else text


def with_point(value: JSON) -> JSON:
    """Replace a decimal comma, as spreadsheets of many countries write it, by a point.

    >>> with_point("0,701"), with_point("-12,5"), with_point("1,234"), with_point("good")
    ('0.701', '-12.5', '1,234', 'good')

    Three digits after the comma may be thousands, and stay as they are.
    """
    if isinstance(value, str) and "," in value and _DECIMAL_COMMA.fullmatch(value):
        return value.replace(",", ".")
    return value


def text(by_name: Mapping[str, JSON]) -> str | None:
    """Scores by name as stored JSON, without empty values."""
    filled = {name: value for name, value in by_name.items() if value is not None and value != ""}
    return stored_json(filled) if filled else None


def _invalid(message: str) -> Invalid:
    return Invalid("invalid_mapping", message, fields={"mapping.scores": [message]})
