"""Loads examples with outputs and scores of runs as columns, one stretch at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, count
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import live_positions
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset, Example, Experiment, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.values import JSON, PARTS, Status

from . import answer_measures, columns, coverage
from .columns import CHUNK, Slots
from .rows import outputs

ChosenRows = NDArray[np.bool_] | None
VERDICTS = np.array([False, True, None], object)  # index −1, no verdict, is the last item
NOT_ASKED = "not_asked"  # of examples that are none of the run's: of another sample, or by design of its file
WORDS = np.full(256, "", object)
for status in set(Status) - {Status.ABSENT}:
    WORDS[status] = status.word


@dataclass(frozen=True)
class ScoreColumn:
    """One evaluator's scores, row by row: None, None, "" and "" for a row without a score."""

    values: list[float | None]
    passed: list[bool | None]
    statuses: list[str]
    messages: list[str]


@dataclass(frozen=True)
class RunColumns:
    """One run's data for a stretch; `scores` by label, `measures` (latency, cost) of generated runs."""

    outputs: Sequence[JSON]
    scores: dict[str, ScoreColumn]
    measures: Sequence[Sequence[Any]] = ()


@dataclass(frozen=True)
class Stretch:
    """Up to 4 000 adjacent examples. `parts` are JSON as stored; `runs` are in the requested order."""

    positions: Sequence[int]
    keys: Sequence[str | None]
    parts: dict[str, Sequence[str]]
    runs: Sequence[RunColumns] = ()

    def parsed(self, part: str) -> list[dict[str, JSON]]:
        """The parts of the examples as objects by column; a plain value becomes the column `input` or `reference`."""
        values = orjson.loads(f"[{','.join(self.parts[part])}]")
        alone = part.removesuffix("s")
        return [value if isinstance(value, dict) else {alone: value} for value in values]


def of_dataset(
    dataset: Dataset, version: int, chosen: ChosenRows = None, parts: Sequence[str] = PARTS
) -> Iterator[Stretch]:
    """The examples of a version, with some of their `parts`; `chosen` is a mask over its slots, None for all."""
    every = live_positions.of_version(dataset, version)
    chosen_positions = every if chosen is None else Positions.from_array(every.every[chosen])
    examples = Example.objects.of_version(dataset.pk, version)
    for first in chosen_positions.stretches(CHUNK):
        positions, keys, *values = _read(examples, first, chosen_positions, parts)
        if positions:
            yield Stretch(positions, keys, dict(zip(parts, values, strict=True)))


def of_runs(
    experiment: Experiment,
    runs: Sequence[Run],
    scorings: Mapping[int, Sequence[Scoring]],
    chosen: ChosenRows = None,
    hidden: Mapping[int, Sequence[int]] | None = None,
) -> Iterator[Stretch]:
    """The examples of an experiment with the outputs and scores of some of its runs; `scorings` by run.

    `hidden` are, by scoring, positions whose score is written as sealed.
    """
    closed = {pk: frozenset(positions) for pk, positions in (hidden or {}).items()}
    named, generated = {run.pk: labels(scorings[run.pk]) for run in runs}, answer_measures.generated(runs)
    for read in of_dataset(experiment.dataset, experiment.dataset_version, chosen):
        columns_of_runs = [
            _columns(run, named[run.pk], read.positions, run.pk in generated, closed) for run in runs
        ]
        yield replace(read, runs=columns_of_runs)


def in_order(read: Iterable[Stretch], positions: Sequence[int]) -> Iterator[Stretch]:
    """The examples at these positions, in this order, as one stretch: for few, because all are held at once."""
    held = list(read)
    if not held:
        return
    place = {position: row for row, position in enumerate(chain.from_iterable(one.positions for one in held))}
    rows = [place[position] for position in positions]

    def ordered(columns: Iterable[Sequence[Any]]) -> list[Any]:
        joined = list(chain.from_iterable(columns))
        return [joined[row] for row in rows]

    first = held[0]
    yield Stretch(
        positions,
        ordered(one.keys for one in held),
        {part: ordered(one.parts[part] for one in held) for part in first.parts},
        [_ordered_columns([one.runs[index] for one in held], ordered) for index in range(len(first.runs))],
    )


def _ordered_columns(
    held: Sequence[RunColumns], ordered: Callable[[Iterable[Sequence[Any]]], list[Any]]
) -> RunColumns:
    names = [field.name for field in fields(ScoreColumn)]
    scores = {
        label: ScoreColumn(*(ordered(getattr(one.scores[label], name) for one in held) for name in names))
        for label in held[0].scores
    }
    measures = [ordered(one.measures[index] for one in held) for index in range(len(held[0].measures))]
    return RunColumns(ordered(one.outputs for one in held), scores, measures)


def labels(scorings: Sequence[Scoring]) -> dict[int, str]:
    """By scoring id, the name of the evaluator; if evaluators share a name, all but the first get a number."""
    names = unique_names([scoring.evaluator_version.evaluator.name for scoring in scorings])
    return {scoring.pk: name for scoring, name in zip(scorings, names, strict=True)}


def unique_names(names: Sequence[str]) -> list[str]:
    """The names in their order; repeated ones get the next free number in brackets.

    >>> unique_names(["exact", "output", "exact", "exact (2)", "exact"])
    ['exact', 'output', 'exact (2)', 'exact (2) (2)', 'exact (3)']
    """
    used_names: dict[str, None] = {}
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        free = next(candidate for candidate in chain([name], numbered) if candidate not in used_names)
        used_names[free] = None
    return list(used_names)


def _columns(
    run: Run,
    names: Mapping[int, str],
    positions: Sequence[int],
    is_generated: bool,
    closed: Mapping[int, frozenset[int]],
) -> RunColumns:
    first = (positions[0] - 1) // CHUNK * CHUNK + 1
    slots = np.array(positions) - first
    within = {"position__gte": first, "position__lt": first + CHUNK}
    answers, stored = outputs(run, positions, **within), columns.stretch(names, first)
    unasked = np.flatnonzero(~coverage.is_asked(run, np.array(positions))).tolist()
    scores = {name: _scores(*stored[pk], slots) for pk, name in names.items()}
    for row in unasked:
        for column in scores.values():
            column.statuses[row] = NOT_ASKED
    return RunColumns(
        answers,
        {name: _sealed(scores[name], positions, closed.get(pk)) for pk, name in names.items()},
        answer_measures.columns(run, positions, **within) if is_generated else (),
    )


def _sealed(column: ScoreColumn, positions: Sequence[int], closed: frozenset[int] | None) -> ScoreColumn:
    """The column without what it says at these positions."""
    for row, position in enumerate(positions if closed else ()):
        if position in (closed or ()) and column.statuses[row]:
            column.values[row] = column.passed[row] = None
            column.statuses[row], column.messages[row] = Status.SEALED.word, ""
    return column


def _read(
    examples: ExampleQuerySet, first: int, chosen_positions: Positions, parts: Sequence[str]
) -> list[Sequence[Any]]:
    """The columns position, key and these parts of the chosen examples in one stretch."""
    within = examples.filter(position__gte=first, position__lt=first + CHUNK).order_by("position")
    _, rows = chosen_positions.placed(bulk.select(within.values_list("position", "key", *parts)))
    return list(zip(*rows, strict=True)) or [()] * (2 + len(parts))


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
