"""The examples of a trial: chosen by name, at random, as the worst of a run, or typed in."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Q

from evaluations.datasets import datasets
from evaluations.errors import Invalid, NotFound
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Evaluator, Example, Run, Scoring
from evaluations.numerals import whole
from evaluations.prompts import templates
from evaluations.scoring import columns, coverage
from evaluations.values import JSON, PARTS, Status, by_column, stored_json

MOST_EXAMPLES = 5
Row = dict[str, Any]  # position and key, and the parts of an example as stored JSON


@dataclass(frozen=True)
class TrialExamples:
    """The examples of a trial, and the columns that templates may use; typed examples have no dataset."""

    rows: list[Row]
    columns: Mapping[str, Sequence[str]]
    dataset: Dataset | None = None


def named(dataset: Dataset, names: Sequence[str]) -> TrialExamples:
    """The examples of the newest version with these positions (now or before an edit) or keys, in this order."""
    _check_number(len(names), "examples")
    dataset_examples = datasets.examples(dataset)
    numbers = _positions(names)
    at = dataset_examples.filter(Q(position__in=numbers) | Q(origin__in=numbers))
    by_position = {str(number): example for example in at for number in (example.position, example.identity)}
    by_key = {example.key: example for example in dataset_examples.filter(key__in=names)}
    examples = [by_position.get(name) or by_key.get(name) for name in names]
    for name, example in zip(names, examples, strict=True):
        if example is None:
            message = f"{dataset.name} has no example {name}."
            raise NotFound("not_found", message, fields={"examples": [message]})
    return _of_dataset(dataset, [example for example in examples if example])


def _positions(names: Sequence[str]) -> list[int]:
    return [position for name in names if (position := whole(name, 9)) is not None]


def at_random(dataset: Dataset, size: int, seed: int) -> TrialExamples:
    """Random examples of the newest version; equal for equal seeds."""
    _check_number(size, "sample/size")
    positions = datasets.sample(dataset, dataset.version, size, seed)
    return _of_dataset(dataset, list(datasets.examples(dataset).filter(position__in=positions)))


def worst(run: Run, evaluator: Evaluator, size: int) -> TrialExamples:
    """The examples of a run with the worst scores by an evaluator, worst first: before all those without an answer."""
    _check_number(size, "worst/size")
    dataset, version = run.experiment.dataset, run.experiment.dataset_version
    positions = _worst(run, evaluator, size)
    examples = datasets.examples(dataset, version).filter(position__in=positions)
    return _of_dataset(dataset, sorted(examples, key=lambda example: positions.index(example.position)))


def _worst(run: Run, evaluator: Evaluator, size: int) -> list[int]:
    """The positions of the worst examples."""
    scorings = Scoring.objects.filter(run=run, evaluator_version__evaluator=evaluator)
    newest = scorings.select_related("evaluator_version").order_by("-evaluator_version__number").first()
    positions = coverage.positions(run)
    column = columns.load_many([newest.pk], positions)[newest.pk] if newest else columns.Slots.absent(0)
    scored = np.flatnonzero(column.status == Status.SCORED)
    if newest is None or not len(scored):
        message = f"{run.variant} has no scores by {evaluator.name}."
        raise Invalid("invalid_trial", message, fields={"worst": [message]})
    unread = np.flatnonzero(np.isin(column.status, [Status.MISSING_ACTUAL, Status.NOT_FOUND]))
    sign = 1 if Recipe.from_version(newest.evaluator_version).direction == "maximize" else -1
    order = np.argsort(sign * column.values[scored], kind="stable")
    worst: list[int] = positions.at(np.concatenate([unread, scored[order]])[:size]).tolist()
    return worst


def typed(rows: Sequence[Mapping[str, Any]]) -> TrialExamples:
    """Examples from typed inputs with optional references."""
    _check_number(len(rows), "inputs")
    checked = [datasets.check_example(number, dict(row)) for number, row in enumerate(rows, 1)]
    texts = [{"key": row["key"]} | {part: stored_json(row[part]) for part in PARTS} for row in checked]
    return TrialExamples([{"position": None} | text for text in texts], datasets.merged_columns({}, checked))


def _of_dataset(dataset: Dataset, examples: Sequence[Example]) -> TrialExamples:
    return TrialExamples([_row(example) for example in examples], dataset.columns, dataset)


def _row(example: Example) -> Row:
    return {"position": example.position, "key": example.key} | {p: getattr(example, p) for p in PARTS}


def part(row: Row, name: str) -> dict[str, JSON]:
    """The values of a part by column; large whole numbers are not converted to floats."""
    return by_column(name, json.loads(row[name]))


def values(row: Row) -> dict[str, dict[str, JSON]]:
    """The values that templates may use."""
    return {name: part(row, name) for name in ("inputs", templates.METADATA)}


def _check_number(number: int, field: str) -> None:
    if not 0 < number <= MOST_EXAMPLES:
        message = f"A trial must have 1 to {MOST_EXAMPLES} examples."
        raise Invalid("invalid_trial", message, fields={field: [message]})
