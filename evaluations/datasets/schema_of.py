"""The schema of a dataset: set, suggested from its examples, and checked against existing ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import transaction

from evaluations.access import audit
from evaluations.errors import TooLarge, TooManyRequests
from evaluations.metrics import derived_schema
from evaluations.models import Dataset, Example, Project
from evaluations.values import JSON, PARTS, by_column, opened_json

from . import datasets, schemas
from .schemas import Schemas

LOOKED_AT = 1_000  # examples that are checked
MOST_DATASETS = 200  # that are looked through


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


def has_json_references(dataset: Dataset) -> bool:
    """Whether the first example has an object or a list as reference."""
    return any(_json_references([parts]) for _, parts in _first(dataset, 1))


def newest_with_json(project: Project) -> Dataset | None:
    """The newest dataset of a project whose first example has an object or a list as reference."""
    ready = Dataset.objects.live().filter(project=project, status=Dataset.Status.READY).order_by("-pk")
    offered = {dataset.pk: dataset for dataset in ready[:MOST_DATASETS]}
    first = Example.objects.filter(dataset__in=offered, position=1).order_by("-dataset")
    for pk, reference in first.values_list("dataset", "reference"):
        if _json_references([{"reference": orjson.loads(reference)}]) and has_json_references(offered[pk]):
            return offered[pk]
    return None


def of_references(dataset: Dataset) -> dict[str, Any] | None:
    """The JSON Schema of the references of the first examples, in the first column that has objects or lists alone."""
    references = _json_references([parts for _, parts in _first(dataset)])
    return derived_schema.of_values(references) if references else None


def _json_references(examples: Sequence[dict[str, Any]]) -> list[JSON]:
    columns = [by_column("reference", example["reference"]) for example in examples]
    for name in dict.fromkeys(name for row in columns for name in row):
        values = [opened_json(value) for row in columns if (value := row.get(name)) not in (None, "")]
        if values and all(isinstance(value, dict | list) for value in values):
            return values
    return []


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


def _first(dataset: Dataset, most: int = LOOKED_AT) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = datasets.examples(dataset).values_list("position", *PARTS)[:most]
    for position, *texts in rows:
        yield position, dict(zip(PARTS, map(orjson.loads, texts), strict=True))
