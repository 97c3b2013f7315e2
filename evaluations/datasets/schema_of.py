"""The schema of a dataset: set, suggested from its examples, and checked against existing ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import transaction

from evaluations.access import audit
from evaluations.errors import TooLarge, TooManyRequests
from evaluations.models import Dataset
from evaluations.values import PARTS

from . import datasets, schemas
from .schemas import Schemas

LOOKED_AT = 1_000  # examples that are checked


@dataclass(frozen=True)
class Fit:
    """How many of the `looked_at` first examples do not fit, and the mismatch of the first of those.

    If they take too long to check, `first` says so, and none was looked at.
    """

    looked_at: int
    misfits: int
    first: str


def store(dataset: Dataset, sent_schema: Any) -> Dataset:
    """Validate and store a schema; an empty one removes it. Existing examples are not checked."""
    schema = schemas.checked(sent_schema)
    with transaction.atomic():
        datasets.lock(dataset)
        dataset.schema = schema
        dataset.save(update_fields=["schema"])
    audit.note(columns=sum(map(len, schema.values())))
    return dataset


def suggest(dataset: Dataset) -> Schemas:
    """The types of the columns, from the first examples."""
    return schemas.suggested([parts for _, parts in _first(dataset)])


def fit(dataset: Dataset) -> Fit:
    rows = list(_first(dataset))
    try:
        misfits = schemas.misfits(dataset.schema, [parts for _, parts in rows])
    except (TooLarge, TooManyRequests) as refusal:
        return Fit(0, 0, refusal.message)
    if not misfits:
        return Fit(len(rows), 0, "")
    number, mismatch = misfits[0]
    return Fit(len(rows), len(misfits), f"Example {rows[number - 1][0]}: {mismatch.reason}.")


def _first(dataset: Dataset) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = datasets.examples(dataset).values_list("position", *PARTS)[:LOOKED_AT]
    for position, *texts in rows:
        yield position, dict(zip(PARTS, map(orjson.loads, texts), strict=True))
