"""Examples by their metadata: those with a value, and how often each value occurs."""

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from operator import or_

import orjson
from django.db.models import Count, Q

from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import text_of

MOST_COUNTED = 100_000  # examples; more would keep a page waiting
MOST_VALUES = 20  # of a column that is worth a choice


def with_value(examples: ExampleQuerySet, column: str, value: str) -> ExampleQuerySet:
    """Those with this value in a column; one that is no text is spelt as JSON.

    Metadata lies in the database as JSON, so the pair is looked for as JSON spells it, up to where it ends.
    """
    name = orjson.dumps(column).decode()
    spelt = (orjson.dumps(value).decode(), value)
    return examples.filter(
        reduce(or_, (Q(metadata__has=f"{name}:{own}{end}") for own in spelt for end in ",}"))
    )


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
