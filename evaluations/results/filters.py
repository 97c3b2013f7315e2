"""Filters of a run's examples: conditions on scores, metadata and texts, all of which must hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.datasets import search as search_examples
from evaluations.datasets.metadata import with_values
from evaluations.errors import Invalid
from evaluations.models import Experiment, Output, Run, Scoring
from evaluations.models.dataset import ExampleQuerySet
from evaluations.scoring import column_cache
from evaluations.statistics import ordering
from evaluations.values import Status

LONGEST_SEARCH = 200


@dataclass(frozen=True)
class ScoreFilter:
    """Conditions on the scores of one evaluator."""

    scoring: Scoring
    statuses: tuple[Status, ...] = ()
    passed: bool | None = None
    low: float | None = None
    high: float | None = None

    def mask(self, length: int) -> Mask:
        column = column_cache.load([self.scoring], length)[self.scoring.pk]
        chosen = ordering.matching(
            column.values,
            column.passed,
            column.status,
            statuses=self.statuses,
            verdict=self.passed,
            low=self.low,
            high=self.high,
        )
        return chosen[:length]


@dataclass(frozen=True)
class Filters:
    """`metadata` are columns and values; a value that is no text is spelt as JSON. One value of a column must match."""

    scores: tuple[ScoreFilter, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    search: str = ""

    def __bool__(self) -> bool:
        return bool(self.scores or self.metadata or self.search)

    def mask(self, run: Run, length: int) -> Mask:
        """The slots where all conditions hold."""
        chosen = np.ones(length, np.bool_)
        for condition in self.scores:
            chosen &= condition.mask(length)
        chosen &= with_values(run.examples, self.metadata, length)
        return chosen & with_text(run, self.search, length) if self.search else chosen


def with_text(run: Run, text: str, length: int) -> Mask:
    """Which slots have the text in the output, or in the example."""
    return with_text_in_any([run], text, length)


def with_text_in_any(runs: Sequence[Run], text: str, length: int) -> Mask:
    """Which slots have the text in an output of these runs of one dataset, or in the example."""
    return _with_text(runs[0].examples, runs, text, length)


def with_text_in_experiment(experiment: Experiment, runs: Sequence[Run], text: str) -> Mask:
    """The same for runs of an experiment, which may have none yet."""
    return _with_text(experiment.examples, runs, text, experiment.dataset.last_position)


def _with_text(examples: ExampleQuerySet, runs: Sequence[Run], text: str, length: int) -> Mask:
    if len(text) > LONGEST_SEARCH:
        raise Invalid("search_too_long", f"A search has at most {LONGEST_SEARCH} characters.")
    outputs = slots_of(Output.objects.filter(run__in=runs, text__has=text), length)
    return outputs | slots_of(search_examples(examples, text), length)


def slots_of(rows: QuerySet, length: int) -> Mask:
    """The slots of the positions that outputs or examples have."""
    mask = np.zeros(length + 1, np.bool_)
    slots = np.fromiter(rows.values_list("position", flat=True).iterator(), np.int64) - 1
    mask[np.minimum(slots, length)] = True
    return mask[:length]
