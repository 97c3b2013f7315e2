"""Columns of a file, and paths into columns, that say what each answer took: its time, its tokens, its cost."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations import ingest, jsonpath
from evaluations.ingest.likely import number_of
from evaluations.ingest.measures import (
    COST,
    KINDS,
    LATENCY_MS,
    LATENCY_S,
    TOKENS,
    TOKENS_IN,
    TOKENS_OUT,
    of_rows,
)
from evaluations.prompts.money import COST_DECIMALS
from evaluations.values import JSON

from . import column_paths
from .column_names import invalid, placed

# the column of a table in which each kind is stored, and the factor for its numbers
STORED = {
    LATENCY_MS: ("latency_ms", 1),
    LATENCY_S: ("latency_ms", 1_000),
    TOKENS_IN: ("tokens_in", 1),
    TOKENS_OUT: ("tokens_out", 1),
    TOKENS: ("tokens", 1),
    COST: ("cost", 10**COST_DECIMALS),
}
OF_OUTPUT = ("latency_ms", "tokens")  # the others are columns of the facts about a call
LARGEST = {"cost": 10**18 - 1}
LARGEST_WHOLE = 2**31 - 1


class MeasureColumn(NamedTuple):
    """One column, or a path into one; `variant` is "" if the rows name their variants."""

    kind: str
    variant: str
    column: str
    path: str = ""

    @property
    def source(self) -> str:
        """How a mapping names it."""
        return self.path or self.column


def checked(sent: Any, columns: Sequence[str], outputs: Mapping[str, str]) -> tuple[MeasureColumn, ...]:
    """Validate measures: {"latency_ms": source} (of the only output) or {"cost": {variant: source}}.

    Raises `Invalid`.
    """
    if not sent:
        return ()
    if not isinstance(sent, dict):
        raise invalid(f"measures must be an object from {', '.join(KINDS)} to columns.", "measures")
    if unknown := {*sent} - {*KINDS}:
        raise invalid(f"measures has no “{min(unknown)[:80]}”; it has {', '.join(KINDS)}.", "measures")
    found = [
        _placed(MeasureColumn(kind, variant, source), columns)
        for kind, sources in sent.items()
        for variant, source in _by_variant(kind, sources, outputs).items()
    ]
    stored = [(STORED[one.kind][0], one.variant) for one in found]
    if twice := next((field for field, variant in stored if stored.count((field, variant)) > 1), None):
        raise invalid(f"Two columns have the {twice} of one variant.", "measures")
    return tuple(found)


def by_name(preview: ingest.Preview) -> tuple[MeasureColumn, ...]:
    """What the answers of the only output took, as the names of columns say."""
    if len(preview.outputs) != 1:
        return ()
    named = {
        guess.role: name
        for name, guess in preview.guesses.items()
        if guess.role in STORED and not guess.variant
    }
    return checked(named, preview.columns, preview.outputs)


def of_names(names: Iterable[str], cells: Mapping[str, Sequence[Any]]) -> tuple[MeasureColumn, ...]:
    """What the answers took of which each row has one, as the names of these columns say; each kind once."""
    return tuple(MeasureColumn(kind, "", name) for name, kind in of_rows(names, cells).items())


def _by_variant(kind: str, sources: Any, outputs: Mapping[str, str]) -> dict[str, str]:
    if not outputs:
        raise invalid("What answers took belongs to outputs, and no column has outputs.", "measures")
    if isinstance(sources, str):
        if len(outputs) > 1:
            raise invalid(
                f"{kind}: say which variant each column belongs to, as {{variant: column}}.", "measures"
            )
        sources = dict.fromkeys(outputs, sources)
    if not isinstance(sources, dict) or not all(isinstance(source, str) for source in sources.values()):
        raise invalid(f"{kind}: a column, or an object from variants to columns, is expected.", "measures")
    if unknown := {*sources} - {*outputs}:
        raise invalid(f"{kind}: no outputs belong to the variant “{min(unknown)}”.", "measures")
    return sources


def _placed(measure: MeasureColumn, columns: Sequence[str]) -> MeasureColumn:
    column, path = placed(measure.column, columns, "measures")
    return measure._replace(column=column, path=path)


def as_sent(measures: Iterable[MeasureColumn]) -> dict[str, dict[str, str]]:
    """How a mapping of the API names them."""
    by_kind: dict[str, dict[str, str]] = {}
    for measure in measures:
        by_kind.setdefault(measure.kind, {})[measure.variant] = measure.source
    return by_kind


def by_variant(measures: Iterable[MeasureColumn]) -> dict[str, list[MeasureColumn]]:
    found: dict[str, list[MeasureColumn]] = {}
    for measure in measures:
        found.setdefault(measure.variant, []).append(measure)
    return found


def cells(batch: ingest.Batch, measure: MeasureColumn) -> Sequence[JSON]:
    """The cells of a measure as they are in the file."""
    if measure.path:
        return column_paths.reader(jsonpath.compile(measure.path))(batch)
    return batch.column(measure.column)


def numbers(batch: ingest.Batch, measures: Iterable[MeasureColumn]) -> dict[str, list[int | None]]:
    """By the column of a table, what is stored for each row of one variant; None where a cell has no such number."""
    found: dict[str, list[int | None]] = {}
    for measure in measures:
        field, factor = STORED[measure.kind]
        largest = LARGEST.get(field, LARGEST_WHOLE)
        found[field] = [_stored(cell, factor, largest) for cell in cells(batch, measure)]
    if "tokens_out" in found:
        found["tokens"] = found["tokens_out"]
    return found


def _stored(cell: JSON, factor: int, largest: int) -> int | None:
    """A number of a cell in the unit in which it is stored.

    >>> _stored("0,25", 1000, 9999), _stored(-1, 1, 9999), _stored("n/a", 1, 9999), _stored(float("nan"), 1, 9999)
    (250, None, None, None)
    """
    number = number_of(cell)
    if number is None or not 0 <= number * factor <= largest:
        return None
    return round(number * factor)
