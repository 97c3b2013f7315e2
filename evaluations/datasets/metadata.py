"""Examples by their metadata: those with a value, and how often each value occurs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

import numpy as np
import orjson
from django.db.models import Count, Q

from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import text_of, text_or_json

from .bitmaps import Mask
from .live_positions import Positions

MOST_COUNTED = 100_000  # examples; more would keep a page waiting
MOST_VALUES = 20  # of a column that is worth a choice


def require_columns(dataset: Dataset, pairs: Iterable[tuple[str, str]]) -> None:
    """Raise `Invalid` for the first of these filters by a column that the dataset lacks."""
    known = dataset.columns.get("metadata", ())
    for column, _ in pairs:
        if column not in known:
            message = f"The dataset has no metadata column “{column[:200]}”."
            raise Invalid("missing_column", message, fields={"filter": [message]})


def with_value(examples: ExampleQuerySet, column: str, value: str) -> ExampleQuerySet:
    """Those with this value in a column; one that is no text is spelt as JSON.

    Metadata lies in the database as JSON, so the pair is looked for as JSON spells it, up to where it ends.
    """
    name = orjson.dumps(column).decode()
    spelt = (orjson.dumps(value).decode(), value)
    return examples.filter(
        reduce(or_, (Q(metadata__has=f"{name}:{own}{end}") for own in spelt for end in ",}"))
    )


def with_metadata(examples: ExampleQuerySet, name: str, value: str, positions: Positions) -> Mask:
    """The slots of examples whose metadata has this value; the database narrows them down, then each is checked."""
    spelt = orjson.dumps(name).decode()
    as_text, as_json = orjson.dumps(value).decode(), _beginning(value)
    similar = examples.filter(Q(metadata__has=f"{spelt}:{as_text}") | Q(metadata__has=f"{spelt}:{as_json}"))
    rows = similar.values_list("position", "metadata").iterator()
    having = [position for position, stored in rows if _has(orjson.loads(stored), name, value)]
    return positions.mask(np.array(having, np.int64))


def with_values(examples: ExampleQuerySet, pairs: Sequence[tuple[str, str]], positions: Positions) -> Mask:
    """The slots with all of these columns; of one that is named repeatedly, one of the values must hold."""
    mask = np.ones(len(positions), np.bool_)
    for column in dict.fromkeys(column for column, _ in pairs):
        values = [value for its, value in pairs if its == column]
        mask &= np.any([with_metadata(examples, column, value, positions) for value in values], axis=0)
    return mask


def _beginning(value: str) -> str:
    """How the database spells a value that is no text; of lists and objects the bracket, as keys have no order."""
    return value[:1] if value[:1] in "{[" else value


def _has(metadata: object, name: str, value: str) -> bool:
    if not isinstance(metadata, dict) or name not in metadata:
        return False
    return text_or_json(metadata[name]) == value


def counts(examples: ExampleQuerySet, columns: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """How often each value occurs, the most frequent first, of columns with few values."""
    distinct = examples.order_by().values_list("metadata").annotate(times=Count("pk"))
    counted: dict[str, Counter[str]] = {column: Counter() for column in columns}
    for stored, times in distinct.iterator():
        metadata = orjson.loads(stored)
        for column in counted.keys() & metadata.keys():
            if not isinstance(metadata[column], list | dict | None):
                counted[column][text_of(metadata[column]) or ""] += times
    return {
        column: values.most_common() for column, values in counted.items() if 0 < len(values) <= MOST_VALUES
    }
