"""The examples of a dataset or a run stretch by stretch, as columns, for whoever goes through all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import orjson

from evaluations import bulk
from evaluations.datasets.datasets import PARTS
from evaluations.models import Dataset, Example, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import JSON, Status

from . import columns
from .columns import CHUNK, Slots
from .rows import outputs

VERDICTS = np.array([False, True, None], object)  # −1, no verdict, is the last one.
WORDS = np.full(256, "", object)
for status in set(Status) - {Status.ABSENT}:
    WORDS[status] = status.word


@dataclass(frozen=True)
class ScoreColumn:
    """One evaluator's scores, row by row: None, None, "" and "" for an example that it did not look at."""

    values: list[float | None]
    passed: list[bool | None]
    statuses: list[str]
    messages: list[str]


@dataclass(frozen=True)
class Stretch:
    """Up to 4 000 examples next to each other. `parts` hold JSON as it is stored; `scores` by evaluator name."""

    positions: Sequence[int]
    keys: Sequence[str | None]
    parts: dict[str, Sequence[str]]
    outputs: Sequence[JSON] = ()
    scores: dict[str, ScoreColumn] = field(default_factory=dict)

    def parsed(self, part: str) -> list[dict[str, JSON]]:
        """A part by column: a value that stands alone is the column `input` or `reference`."""
        values = orjson.loads(f"[{','.join(self.parts[part])}]")
        alone = part.removesuffix("s")
        return [value if isinstance(value, dict) else {alone: value} for value in values]


def of_dataset(dataset: Dataset, version: int) -> Iterator[Stretch]:
    examples = Example.objects.of_version(dataset.pk, version)
    for first in range(1, dataset.last_position + 1, CHUNK):
        positions, keys, *parts = _read(examples, first)
        if positions:
            yield Stretch(positions, keys, dict(zip(PARTS, parts, strict=True)))


def of_run(run: Run, scorings: Sequence[Scoring]) -> Iterator[Stretch]:
    names = {scoring.pk: scoring.evaluator_version.evaluator.name for scoring in scorings}
    for read in of_dataset(run.experiment.dataset, run.experiment.dataset_version):
        first = (read.positions[0] - 1) // CHUNK * CHUNK + 1
        slots = np.array(read.positions) - first
        answers = outputs(run, read.positions, position__gte=first, position__lt=first + CHUNK)
        found = columns.stretch(names, first)
        scores = {name: _scores(*found[pk], slots) for pk, name in names.items()}
        yield Stretch(read.positions, read.keys, read.parts, answers, scores)


def _read(examples: ExampleQuerySet, first: int) -> list[Sequence]:
    """position, key, inputs, reference and metadata of one stretch, as columns."""
    within = examples.filter(position__gte=first, position__lt=first + CHUNK).order_by("position")
    found = bulk.select(within.values_list("position", "key", *PARTS))
    return list(zip(*found, strict=True)) or [()] * (2 + len(PARTS))


def _scores(column: Slots, messages: dict[int, str], slots: np.ndarray) -> ScoreColumn:
    values = column.values[slots]
    shown = values.astype(object)
    shown[np.isnan(values)] = None
    return ScoreColumn(
        shown.tolist(),
        VERDICTS[column.passed[slots]].tolist(),
        WORDS[column.status[slots]].tolist(),
        [messages.get(slot, "") for slot in slots.tolist()] if messages else [""] * len(slots),
    )
