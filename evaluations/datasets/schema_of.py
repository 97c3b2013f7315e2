"""The schema of a dataset: set, suggested from its examples, and checked against existing ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import transaction

from evaluations.access import audit
from evaluations.models import Dataset
from evaluations.values import PARTS

from . import datasets, schemas
from .schemas import Schemas

LOOKED_AT = 1_000  # examples that are checked


@dataclass(frozen=True)
class Fit:
    """How many of the `looked_at` first examples do not fit, and the mismatch of the first of those."""

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
    checker = schemas.Checker(dataset.schema)
    rows = list(_first(dataset))
    reasons = [(position, mismatch) for position, parts in rows if (mismatch := checker.mismatch(parts))]
    first = f"Example {reasons[0][0]}: {reasons[0][1].reason}." if reasons else ""
    return Fit(len(rows), len(reasons), first)


def _first(dataset: Dataset) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = datasets.examples(dataset).values_list("position", *PARTS)[:LOOKED_AT]
    for position, *texts in rows:
        yield position, dict(zip(PARTS, map(orjson.loads, texts), strict=True))
