"""The examples of a comparison: which came out worse, better or the same, and what every run made of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean

import numpy as np
from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluations.kinds.kind import Bounds
from evaluations.models import Evaluator, Output, Run
from evaluations.process_cache import ProcessCache
from evaluations.results import filters, results
from evaluations.results.results import Row, Score
from evaluations.scoring.columns import Slots
from evaluations.statistics import ordering
from evaluations.statistics.histogram import Histogram, ends, grid
from evaluations.statistics.ordering import Cursor
from evaluations.statistics.squares import Squares, squares
from evaluations.values import Status

from .alignment import Side
from .comparison import Comparison

OUTCOMES = ("all", "worse", "better", "same", "missing")
ORDERS = ("drop", "gain", "position")
BINS = 20
AT_ONCE = 5_000  # texts
MOST_SAME_BYTES = 16_000_000  # 128 pairs of runs of a million.
Mask = NDArray[np.bool_]
# Where two runs have the same output, as bits: outputs of a scored run change with its revision only.
same_outputs: ProcessCache[tuple[int, int, int, int, datetime, int], NDArray[np.uint8]] = ProcessCache(
    MOST_SAME_BYTES, lambda bits: bits.nbytes
)


@dataclass(frozen=True)
class Question:
    """Which examples of a comparison: those on which `run` (None: any) is `outcome` by an evaluator.

    `different` leaves out those whose outputs are all the same text as the baseline's, `square` all but those
    in one square of the scatter of `run` (its places across and up).
    """

    evaluator: Evaluator
    run: Run | None = None
    outcome: str = "all"
    order: str = "drop"
    search: str = ""
    different: bool = False
    square: tuple[int, int] | None = None


@dataclass(frozen=True)
class Compared:
    """One example across the runs; `rows` beside `Comparison.sides`."""

    position: int
    rows: list[Row]

    def gain(self, side: int, name: str, direction: str) -> float | None:
        """How much better than the baseline, in the evaluator's direction."""
        own, baseline = (self.rows[n].scores.get(name) for n in (side, 0))
        if own is None or baseline is None or own.value is None or baseline.value is None:
            return None
        return (own.value - baseline.value) * (1 if direction == "maximize" else -1)


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
        """What rows are ordered by, smallest first: the largest drop, gain or spread of scores, or their place.

        Without another run the baseline's own scores are the gains: its worst examples come first.
        """
        if order == "position":
            return np.zeros(len(self.present))
        if order == "spread":
            return self._spread()
        stacked = np.stack(self.gains or [self.sign * self.baseline.values])
        return np.fmin.reduce(stacked) if order == "drop" else -np.fmax.reduce(stacked)

    def _spread(self) -> NDArray[np.float64]:
        """How far the scores of an example lie apart, the furthest first."""
        stacked = np.stack([column.values for column in self.columns])
        return np.asarray(np.fmin.reduce(stacked) - np.fmax.reduce(stacked))


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
        chosen = chosen & _with_text(comparison, question.search, len(chosen))
    if question.square and question.run:
        chosen = chosen & _in_square(comparison, question, aligned.columns, question.square)
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


def _with_text(comparison: Comparison, text: str, length: int) -> Mask:
    runs, aligner = [side.run for side in comparison.sides], comparison.families.aligner
    mask = filters.with_text_in_any([run for run in runs if not aligner.is_other(run.pk)], text, length)
    for run in runs:
        if aligner.is_other(run.pk):
            having = Output.objects.filter(run=run, text__has=text)
            own = filters.slots_of(having, aligner.length_of(run.pk))
            mask = mask | aligner.laid(run.pk, own, False)[:length]
    return mask


def _in_square(
    comparison: Comparison, question: Question, columns: Sequence[Slots], square: tuple[int, int]
) -> Mask:
    place = next(n for n, side in enumerate(comparison.sides) if side.run == question.run)
    return squares_of(comparison, question.evaluator, columns[0], columns[place]).where(*square)


def squares_of(comparison: Comparison, evaluator: Evaluator, baseline: Slots, variant: Slots) -> Squares:
    """The scores of a column against the baseline's, in squares."""
    return squares(baseline.values, variant.values, comparison.bounds(evaluator.pk))


def _different(comparison: Comparison, length: int) -> Mask:
    """Where any run has another output than the baseline, or only one of the two has one."""
    baseline, others = comparison.baseline.run, [side.run for side in comparison.others]
    present = _present([baseline, *others], length)
    same = _same_texts(baseline, others, length)
    for run in others:
        _compare_moved(comparison, run, present[run.pk], same[run.pk])
    different = [(present[baseline.pk] | present[run.pk]) & ~same[run.pk] for run in others]
    return _any([np.zeros(length, np.bool_), *different])


def _compare_moved(comparison: Comparison, run: Run, present: Mask, same: Mask) -> None:
    """Correct both masks where an example stands elsewhere in this run than in the baseline."""
    own, baseline = comparison.moves_of(run)
    moved = slice(None) if comparison.is_of_other_dataset(run) else own
    present[moved], same[moved] = False, False
    for first in range(0, len(own), AT_ONCE):
        some, slots = own[first : first + AT_ONCE], baseline[first : first + AT_ONCE]
        texts, ours = _texts(run, some), _texts(comparison.baseline.run, slots)
        present[slots] = [text is not None for text in texts]
        same[slots] = [text is not None and text == our for text, our in zip(texts, ours, strict=True)]


def _texts(run: Run, slots: NDArray[np.intp]) -> list[str | None]:
    """The outputs of a run at these slots."""
    positions = [int(slot) + 1 for slot in slots]
    texts = dict(run.outputs.filter(position__in=positions).values_list("position", "text"))
    return [texts.get(position) for position in positions]


def _present(runs: Sequence[Run], length: int) -> dict[int, Mask]:
    """Where each run has an output; those that have all are not asked for."""
    last = runs[0].experiment.dataset.last_position
    lacking = [run for run in runs if run.output_count < last]
    read = _slots_by_run(Output.objects.filter(run__in=lacking, text__isnull=False), lacking, length)
    return {run.pk: np.arange(length) < last for run in runs if run not in lacking} | read


def _same_texts(baseline: Run, runs: Sequence[Run], length: int) -> dict[int, Mask]:
    """Where each run has the same output as the baseline."""
    keys = {
        (baseline.pk, baseline.revision, run.pk, run.revision, run.created_at, length): run for run in runs
    }
    bits = same_outputs.get_many(keys)
    unread = [run for key, run in keys.items() if key not in bits]
    ours = Output.objects.filter(run=baseline, position=OuterRef("position"), text=OuterRef("text"))
    read = _slots_by_run(Output.objects.filter(Exists(ours), run__in=unread), unread, length)
    new = {key: np.packbits(read[run.pk]) for key, run in keys.items() if run.pk in read}
    same_outputs.put_many(new)
    bits |= new
    return {run.pk: np.unpackbits(bits[key], count=length).astype(np.bool_) for key, run in keys.items()}


def _slots_by_run(outputs: QuerySet[Output], runs: Sequence[Run], length: int) -> dict[int, Mask]:
    """The slots that have one of these outputs, from one query in which run and position are one number."""
    masks = {run.pk: np.zeros(length, np.bool_) for run in runs}
    if runs:
        wide = Cast("run_id", BigIntegerField()) * 2**32 + Cast("position", BigIntegerField())
        codes = np.fromiter(outputs.values_list(wide, flat=True).iterator(10_000), np.int64)
        for run in runs:
            slots = codes[codes >> 32 == run.pk] % 2**32 - 1
            masks[run.pk][slots[slots < length]] = True
    return masks


def rows_at(comparison: Comparison, positions: Sequence[int]) -> list[Compared]:
    """Texts are the newest run's where several stand in one column; scores are their means."""
    by_side = comparison.rows_of(positions)
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
    return {n: _means_of(comparison, side, positions) for n, side in averaged.items()}


def _means_of(comparison: Comparison, side: Side, positions: Sequence[int]) -> dict[int, dict[str, Score]]:
    places = comparison.families.aligner.places_of(side.run.pk, positions)
    scorings = [scoring for run in side.runs for scoring in comparison.scorings[run]]
    by_run = results.scores_at(scorings, list(places.values()))
    return {
        position: _mean([by_run[run.pk][places[position]] for run in side.runs]) if position in places else {}
        for position in positions
    }


def _mean(repeats: Sequence[dict[str, Score]]) -> dict[str, Score]:
    """The mean of each evaluator's scores; the newest where none has a value."""
    means = {}
    for name in dict.fromkeys(name for scores in repeats for name in scores):
        scores = [one[name] for one in repeats if name in one]
        values = [score.value for score in scores if score.value is not None]
        means[name] = Score(fmean(values), None, Status.SCORED.word) if values else scores[-1]
    return means


def overlaid(columns: Sequence[Slots], bounds: Bounds) -> list[Histogram]:
    """The scores of several columns in the same bins."""
    scores = [column.values[np.isfinite(column.values)] for column in columns]
    edges = grid(*ends(bounds, np.concatenate(scores)), BINS)
    within = (np.clip(values, edges[0], edges[-1]) for values in scores)
    counted = (np.histogram(values, edges)[0].tolist() for values in within)
    return [Histogram(tuple(edges.tolist()), tuple(counts)) for counts in counted]
