"""The examples of a comparison: which came out worse, better or the same, and what every run made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from statistics import fmean

import numpy as np
from django.db.models import Exists, OuterRef
from numpy.typing import NDArray

from . import results
from .columns import Slots
from .comparisons import Comparison
from .models import Evaluator, Output, Run, Scoring
from .results import Cursor, Row, Score
from .statistics import ordering
from .statistics.histogram import Histogram, grid
from .values import Status

OUTCOMES = ("all", "worse", "better", "same", "missing")
ORDERS = ("drop", "gain", "position")
BINS = 20
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Question:
    """Which examples of a comparison: those on which `run` (None: any) is `outcome` by an evaluator.

    `different` leaves out those whose outputs are all the same text as the baseline's.
    """

    evaluator: Evaluator
    run: Run | None = None
    outcome: str = "all"
    order: str = "drop"
    search: str = ""
    different: bool = False


@dataclass(frozen=True)
class Compared:
    """One example across the runs; `rows` beside `Comparison.sides`."""

    position: int
    rows: list[Row]

    def gain(self, side: int, name: str, direction: str) -> float | None:
        """How much better than the baseline, in the evaluator's direction."""
        here, there = (self.rows[n].scores.get(name) for n in (side, 0))
        if here is None or there is None or here.value is None or there.value is None:
            return None
        return (here.value - there.value) * (1 if direction == "maximize" else -1)


@dataclass(frozen=True)
class ComparedPage:
    """`total` examples match; `first` is the place of the first one here, from 1."""

    rows: list[Compared]
    counts: dict[str, int]
    total: int
    first: int
    before: Cursor | None
    after: Cursor | None


class Alignment:
    """The gains of every run over the baseline by one evaluator: what rows are filtered and ordered by."""

    def __init__(self, comparison: Comparison, evaluator: Evaluator, run: Run | None = None):
        self.columns = comparison.columns(evaluator.pk)
        baseline, *others = self.columns
        self.baseline = baseline
        sides = zip(comparison.others, others, strict=True)
        columns = [column for side, column in sides if run is None or side.run.pk == run.pk]
        self.sign = sign = 1.0 if comparison.direction(evaluator.pk) == "maximize" else -1.0
        tie = comparison.tie(evaluator.pk)
        self.gains = [sign * (column.values - baseline.values) for column in columns]
        none = np.zeros(len(baseline), np.bool_)
        self.present = _any([column.status != Status.ABSENT for column in (baseline, *columns)])
        self.worse = _any([none, *(gain < -tie for gain in self.gains)])
        self.better = _any([none, *(gain > tie for gain in self.gains)])
        self.missing = _any([np.isnan(gain) for gain in self.gains] or [np.isnan(baseline.values)])
        self.same = ~(self.worse | self.better | self.missing)

    def chosen(self, outcome: str) -> Mask:
        return self.present if outcome == "all" else getattr(self, outcome) & self.present

    def counts(self) -> dict[str, int]:
        return {outcome: int(np.count_nonzero(self.chosen(outcome))) for outcome in OUTCOMES}

    def keys(self, order: str) -> NDArray[np.float64]:
        """What rows are ordered by, smallest first: the largest drop, the largest gain, or their place.

        Without another run the baseline's own scores are the gains: its worst examples come first.
        """
        if order == "position":
            return np.zeros(len(self.present))
        stacked = np.stack(self.gains or [self.sign * self.baseline.values])
        return np.fmin.reduce(stacked) if order == "drop" else -np.fmax.reduce(stacked)


def _any(masks: Sequence[Mask]) -> Mask:
    return np.logical_or.reduce(masks)


def examples(
    comparison: Comparison,
    question: Question,
    size: int,
    *,
    after: Cursor | None = None,
    before: Cursor | None = None,
    aligned: Alignment | None = None,
    at: int | None = None,
) -> ComparedPage:
    """`size` examples, the biggest regression first, with what every run made of them.

    A page that would not show the position `at` begins with it, if it is among those asked for.
    """
    aligned = aligned or Alignment(comparison, question.evaluator, question.run)
    chosen = aligned.chosen(question.outcome)
    if question.search:
        chosen = chosen & _found(comparison, question.search, len(chosen))
    if question.different:
        chosen = chosen & _different(comparison, len(chosen))
    keys = aligned.keys(question.order)
    slots = ordering.page(keys, size, after=after, before=before, where=chosen)
    if at and at - 1 not in slots and 0 < at <= len(chosen) and chosen[at - 1]:
        rest = ordering.page(keys, size - 1, after=_cursor(keys, at - 1), where=chosen)
        slots = np.concatenate([[at - 1], rest])
    first, last = (_cursor(keys, slots[0]), _cursor(keys, slots[-1])) if len(slots) else (None, None)
    total = int(np.count_nonzero(chosen))
    ahead = ordering.count_ahead(keys, slots[0], chosen) if len(slots) else 0
    return ComparedPage(
        rows=rows_at(comparison, [int(slot) + 1 for slot in slots]),
        counts=aligned.counts(),
        total=total,
        first=ahead + 1 if total else 0,
        before=first if ahead else None,
        after=last if ahead + len(slots) < total else None,
    )


def _cursor(keys: NDArray[np.float64], slot: int) -> Cursor:
    return Cursor(None if np.isnan(keys[slot]) else float(keys[slot]), int(slot))


def _found(comparison: Comparison, text: str, length: int) -> Mask:
    runs = [side.run for side in comparison.sides]
    return results.found_in_any(runs, text, length)


def _different(comparison: Comparison, length: int) -> Mask:
    """Where any run has another output than the baseline, or only one of the two has one."""
    baseline = comparison.baseline.run
    mask = np.zeros(length, np.bool_)
    ours = _present(baseline, length)
    for side in comparison.others:
        same = np.unpackbits(_same_texts(_named(baseline), _named(side.run), length), count=length)
        mask |= (ours | _present(side.run, length)) & ~same.astype(np.bool_)
    return mask


def _named(run: Run) -> tuple[int, datetime]:
    return run.pk, run.created_at


def _present(run: Run, length: int) -> Mask:
    """Where a run has an output."""
    if run.output_count >= run.experiment.dataset.last_position:
        return np.arange(length) < run.experiment.dataset.last_position
    return results.slots_of(Output.objects.filter(run=run, text__isnull=False), length)


@lru_cache(maxsize=50)
def _same_texts(ours: tuple[int, datetime], theirs: tuple[int, datetime], length: int) -> NDArray[np.uint8]:
    """Where two runs have the same output, as bits; outputs of a run that is scored never change."""
    there = Output.objects.filter(run=ours[0], position=OuterRef("position"), text=OuterRef("text"))
    return np.packbits(results.slots_of(Output.objects.filter(Exists(there), run=theirs[0]), length))


def rows_at(comparison: Comparison, positions: Sequence[int]) -> list[Compared]:
    """Texts are the newest run's where several stand in one column; scores are their means."""
    scorings: dict[int, Sequence[Scoring]] = {run.pk: found for run, found in comparison.scorings.items()}
    by_side = results.rows_of([side.run for side in comparison.sides], scorings, positions)
    scores = _mean_scores(comparison, positions)
    rows = {
        position: [
            replace(row[position], scores=scores[n][position]) if n in scores else row[position]
            for n, row in enumerate(by_side)
        ]
        for position in positions
    }
    return [Compared(position, rows[position]) for position in positions]


def _mean_scores(comparison: Comparison, positions: Sequence[int]) -> dict[int, dict[int, dict[str, Score]]]:
    """column → position → evaluator name → score, of the columns that are means of several runs."""
    averaged = {n: side for n, side in enumerate(comparison.sides) if side.is_averaged}
    runs = [run for side in averaged.values() for run in side.runs]
    found = results.scores_at([s for run in runs for s in comparison.scorings[run]], positions)
    return {
        n: {position: _mean([found[run.pk][position] for run in side.runs]) for position in positions}
        for n, side in averaged.items()
    }


def _mean(repeats: Sequence[dict[str, Score]]) -> dict[str, Score]:
    """The mean of each evaluator's scores; the newest where none has a value."""
    means = {}
    for name in dict.fromkeys(name for scores in repeats for name in scores):
        scores = [found[name] for found in repeats if name in found]
        values = [score.value for score in scores if score.value is not None]
        means[name] = Score(fmean(values), None, Status.SCORED.word) if values else scores[-1]
    return means


def overlaid(columns: Sequence[Slots], bounds: tuple[float, float | None]) -> list[Histogram]:
    """The scores of several columns in the same bins."""
    scores = [column.values[np.isfinite(column.values)] for column in columns]
    known = np.concatenate([*scores, [bounds[0]]])
    high = bounds[1] if bounds[1] is not None else float(known.max())
    edges = grid(bounds[0], high if high > bounds[0] else bounds[0] + 1, BINS)
    within = (np.clip(values, edges[0], edges[-1]) for values in scores)
    counted = (np.histogram(values, edges)[0].tolist() for values in within)
    return [Histogram(tuple(edges.tolist()), tuple(counts)) for counts in counted]
