"""Filters examples by metadata, and counts the values of columns."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
import orjson
from django.db.models import Count, Q

from evaluations import strict_json
from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.models.dataset import ExampleQuerySet
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, text_of, text_or_json

from . import datasets
from .bitmaps import Mask
from .live_positions import Positions

MOST_COUNTED = 100_000  # examples that are counted; more would delay a page
MOST_VALUES = 20  # distinct values up to which a page offers a choice

Counts = dict[
    str, list[tuple[str, int]]
]  # By column, each value with its number of examples, most frequent first.
process_cache: ProcessCache[tuple[int, datetime, int], Counts] = ProcessCache("counts of metadata", 1_000)


def require_columns(dataset: Dataset, pairs: Iterable[tuple[str, str]]) -> None:
    """Raise `Invalid` for the first filter whose column the dataset lacks."""
    column_names = dataset.columns.get("metadata", ())
    for column, _ in pairs:
        if column not in column_names:
            message = f"The dataset has no metadata column “{column[:200]}”."
            raise Invalid("missing_column", message, fields={"filter": [message]})


def with_metadata(examples: ExampleQuerySet, name: str, value: str, positions: Positions) -> Mask:
    """The slots of examples with this metadata value, or with it in a list, which is a set of values.

    The database preselects, then Python compares each value.
    """
    spelt = orjson.dumps(name).decode()
    as_text, as_json = orjson.dumps(value).decode(), _beginning(value)
    is_list = Q(metadata__has=f"{spelt}:[") | Q(metadata__has=f'{spelt}:"[')
    if as_text == f'"{value}"':  # else a text inside a text is escaped twice
        is_list &= Q(metadata__has=value)
    similar = examples.filter(
        Q(metadata__has=f"{spelt}:{as_text}") | Q(metadata__has=f"{spelt}:{as_json}") | is_list
    )
    rows = similar.values_list("position", "metadata").iterator()
    having = [position for position, stored in rows if _has(orjson.loads(stored), name, value)]
    return positions.mask(np.array(having, np.int64))


def with_values(examples: ExampleQuerySet, pairs: Sequence[tuple[str, str]], positions: Positions) -> Mask:
    """The slots that match all columns; if a column is repeated, one of its values must match."""
    mask = np.ones(len(positions), np.bool_)
    for column in dict.fromkeys(column for column, _ in pairs):
        values = [value for pair_column, value in pairs if pair_column == column]
        mask &= np.any([with_metadata(examples, column, value, positions) for value in values], axis=0)
    return mask


def _beginning(value: str) -> str:
    """The beginning of the JSON of a value that is not a text; for lists and objects only the bracket."""
    return value[:1] if value[:1] in "{[" else value


def _has(metadata: object, name: str, value: str) -> bool:
    if not isinstance(metadata, dict) or name not in metadata:
        return False
    return text_or_json(metadata[name]) == value or value in members(metadata[name])


def members(value: JSON) -> list[str]:
    """The members of a list, also of one in a text, each once as text; empty for anything else, and for nested lists.

    >>> members(["math", 2, "math"]), members('["a", "b"]'), members([["a"]]), members("a")
    (['math', '2'], ['a', 'b'], [], [])
    """
    if isinstance(value, str):
        value = _in_text(value)
    if not isinstance(value, list) or any(isinstance(member, list | dict) for member in value):
        return []
    return [*dict.fromkeys(text_of(member) or "" for member in value if member is not None)]


def _in_text(text: str) -> JSON:
    """The list in a text of JSON; None for any other text."""
    if not text.startswith("[") or not text.endswith("]"):
        return None
    try:
        return strict_json.parse(text.encode())
    except strict_json.JSONError:
        return None


def counts(examples: ExampleQuerySet, columns: Iterable[str]) -> Counts:
    """The values of columns with few values, with their counts."""
    counted: dict[str, Counter[str]] = {column: Counter() for column in columns}
    if not counted:
        return {}
    distinct = examples.order_by().values_list("metadata").annotate(times=Count("pk"))
    for stored, times in distinct.iterator():
        metadata = orjson.loads(stored)
        for column in counted.keys() & metadata.keys():
            listed = members(metadata[column])
            for member in listed:
                counted[column][member] += times
            if not listed and not isinstance(metadata[column], list | dict | None):
                counted[column][text_of(metadata[column]) or ""] += times
    return {
        column: values.most_common() for column, values in counted.items() if 0 < len(values) <= MOST_VALUES
    }


def counts_of_version(dataset: Dataset, version: int) -> Counts:
    """`counts` over all examples of a version; cached by process, because versions never change."""
    key = (dataset.pk, dataset.created_at, version)
    cached = process_cache.get(key)
    if cached is None:
        cached = counts(datasets.examples(dataset, version), dataset.columns.get("metadata", ()))
        process_cache.put(key, cached)
    return cached


def choices(dataset: Dataset, version: int) -> dict[str, list[str]]:
    """The values that a form offers, by column; none for columns with many, and in datasets that are slow to count."""
    if dataset.example_count > MOST_COUNTED:
        return {}
    counted = counts_of_version(dataset, version)
    return {column: [value for value, _ in values if value] for column, values in counted.items()}
