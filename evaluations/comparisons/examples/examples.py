"""The examples of a comparison, filtered by outcome and sorted, with the outputs and scores of every run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evaluations.datasets import live_positions
from evaluations.kinds.kind import Bounds
from evaluations.models import Evaluator, Experiment, Run
from evaluations.process_cache import ProcessCache
from evaluations.results import searching
from evaluations.results.rows import Row, Score, scores_at
from evaluations.results.searching import Stretch
from evaluations.scoring.columns import Slots
from evaluations.statistics import ordering
from evaluations.statistics.histogram import Histogram, ends, grid
from evaluations.statistics.ordering import Cursor, Selected
from evaluations.statistics.squares import PART, Squares, beginning, extremes, squares
from evaluations.statistics.terms import Mask
from evaluations.values import Status

from ..alignment.placement import Placement
from ..alignment.sides import Side
from ..comparison import Comparison
from . import output_differences
from .gains import Alignment, any_of
from .side_rows import rows_of

BINS = 20
MOST_PAGES = 2_000


@dataclass(frozen=True)
class Question:
    """Selects the examples of a comparison on which `run` (None for any) has the `outcome` by an evaluator.

    With `different`, the output of any variant must differ from the baseline's; with `square` (its index across, and
    its index up), the example must lie in this square of the scatter of `run`. With `least`, the scores of a variant
    and the baseline must be this far apart, in the evaluator's unit. Texts are read of the slots of `searched`, or of
    all.
    """

    evaluator: Evaluator
    run: Run | None = None
    outcome: str = "all"
    order: str = "drop"
    search: str = ""
    different: bool = False
    square: tuple[int, int] | None = None
    least: float = 0.0
    searched: Stretch | None = None

    @property
    def reads_texts(self) -> bool:
        return bool(self.search) or self.different


@dataclass(frozen=True)
class Compared:
    """One example with the `rows` of every side, in the order of `Comparison.sides`."""

    position: int
    rows: list[Row]

    def gain(self, side: int, name: str, direction: str) -> float | None:
        """The difference from the baseline, positive where the variant is better."""
        score, baseline = (self.rows[n].scores.get(name) for n in (side, 0))
        if score is None or baseline is None or score.value is None or baseline.value is None:
            return None
        return (score.value - baseline.value) * (1 if direction == "maximize" else -1)


@dataclass(frozen=True)
class Listed:
    """The positions on one page. `total` examples match; `first` is the rank of the first one here, from 1.

    `counts` by outcome are under the other filters; `everything` is the number of examples without any.
    """

    positions: list[int]
    counts: dict[str, int]
    everything: int
    total: int
    first: int
    before: Cursor | None
    after: Cursor | None


@dataclass(frozen=True)
class ComparedPage(Listed):
    """One page of compared examples."""

    rows: list[Compared]


# Pages of comparisons whose scorings have ended, by all parameters that select and order them.
process_cache: ProcessCache[str, Listed] = ProcessCache("pages of compared examples", MOST_PAGES)


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
    """`size` examples, largest regression first, with the outputs and scores of every run.

    If the page lacks the position `at` although the question selects it, the page begins there instead. Without
    `aligned`, the positions are cached.
    """
    cursors = _Cursors(size, after, before, at)
    listed = (
        _listed(comparison, question, cursors, aligned)
        if aligned
        else _remembered(comparison, question, cursors)
    )
    return ComparedPage(**vars(listed), rows=rows_at(comparison, listed.positions))


@dataclass(frozen=True)
class _Cursors:
    """The arguments of `examples` that choose a page of `size` examples."""

    size: int
    after: Cursor | None
    before: Cursor | None
    at: int | None


def _remembered(comparison: Comparison, question: Question, cursors: _Cursors) -> Listed:
    """The cached page, if only scorings select and order it; text searches are not cached."""
    evaluator, run = question.evaluator, question.run

    def compute() -> Listed:
        return _listed(comparison, question, cursors, Alignment(comparison, evaluator, run))

    if question.reads_texts:
        return compute()
    hidden = comparison.aligner.sealed(evaluator.pk).key
    asked = question.outcome, question.order, question.square, question.least
    selected = *asked, run and run.pk, cursors, hidden
    runs = [(run.pk, run.experiment.dataset_version) for run in comparison.sides.runs]
    return comparison.figures.families.remembered(process_cache, compute, [evaluator.pk], selected, runs)


def _listed(comparison: Comparison, question: Question, cursors: _Cursors, aligned: Alignment) -> Listed:
    narrowed = _narrowed(comparison, question, aligned)
    chosen = _with_outcome(comparison, question, aligned, narrowed)
    selected = Selected(aligned.keys(question.order), chosen, descending=False)
    positions = comparison.aligner.positions
    open_slot = positions.slot(cursors.at) if cursors.at else None
    part = selected.part_with(open_slot, cursors.size, after=cursors.after, before=cursors.before)
    return Listed(
        positions=positions.at(part.rows).tolist(),
        counts=aligned.counts(narrowed),
        everything=int(np.count_nonzero(aligned.present)),
        total=selected.total,
        first=part.first,
        before=part.before,
        after=part.after,
    )


def slots_in_experiment(comparison: Comparison, question: Question, experiment: Experiment) -> Mask:
    """The mask of selected examples, with the slots of the experiment's version."""
    aligned = Alignment(comparison, question.evaluator, question.run)
    positions = comparison.aligner.positions.at(np.flatnonzero(_chosen(comparison, question, aligned)))
    return live_positions.of_version(experiment.dataset, experiment.dataset_version).mask(positions)


def positions_in_order(
    comparison: Comparison, question: Question, experiment: Experiment
) -> NDArray[np.int64]:
    """The positions of the selected examples of the experiment's version, in the order of the question."""
    aligned = Alignment(comparison, question.evaluator, question.run)
    chosen = _chosen(comparison, question, aligned)
    slots = ordering.page(aligned.keys(question.order), int(np.count_nonzero(chosen)), where=chosen)
    positions = comparison.aligner.positions.at(slots)
    every = live_positions.of_version(experiment.dataset, experiment.dataset_version)
    return positions[np.isin(positions, every.every)]


def _chosen(comparison: Comparison, question: Question, aligned: Alignment) -> Mask:
    """The slots of the examples that the question selects."""
    return _with_outcome(comparison, question, aligned, _narrowed(comparison, question, aligned))


def _with_outcome(comparison: Comparison, question: Question, aligned: Alignment, narrowed: Mask) -> Mask:
    chosen = aligned.chosen(question.outcome) & narrowed
    if question.square and question.run:
        chosen = chosen & _in_square(comparison, question, aligned.columns, question.square)
    return chosen


def _narrowed(comparison: Comparison, question: Question, aligned: Alignment) -> Mask:
    """The slots that all filters leave beside the outcome and the square."""
    left = aligned.present
    if question.least:
        left = left & aligned.apart(question.least)
    if question.search:
        left = left & _with_text(comparison, question.search, question.searched)
    return left & output_differences.mask(comparison, question.searched) if question.different else left


def _with_text(comparison: Comparison, text: str, searched: Stretch | None) -> Mask:
    """The mask of examples with the text in an output, or in the baseline's example."""
    aligner, baseline = comparison.aligner, comparison.sides.baseline.run
    home = aligner.placement(baseline.pk)
    by_version: dict[int, tuple[Placement, list[Run]]] = {}
    for side in comparison.sides:
        placement = aligner.placement(side.run.pk)
        by_version.setdefault(id(placement), (placement, []))[1].append(side.run)
    masks = []
    for placement, runs in by_version.values():
        where = None if searched is None else placement.to_version(searched.mask, False)
        texts = baseline.examples if placement is home else None
        found = searching.with_text(text, runs, texts, placement.positions, where)
        masks.append(placement.to_shared(found, False))
    return any_of(masks)


def _in_square(
    comparison: Comparison, question: Question, columns: Sequence[Slots], square: tuple[int, int]
) -> Mask:
    index = next(n for n, side in enumerate(comparison.sides) if side.run == question.run)
    return squares_of(comparison, question.evaluator, columns[0], columns[index]).where(*square)


def squares_of(comparison: Comparison, evaluator: Evaluator, baseline: Slots, variant: Slots) -> Squares:
    """The scores of a variant against the baseline's, counted in squares."""
    return squares(baseline.values, variant.values, comparison.evaluators.bounds(evaluator.pk))


def rows_at(comparison: Comparison, positions: Sequence[int]) -> list[Compared]:
    """The compared rows at these positions. A side of several runs has the texts of the newest and mean scores."""
    by_side = rows_of(comparison, positions)
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
    """column → position → evaluator name → score, for columns of several runs."""
    averaged = {n: side for n, side in enumerate(comparison.sides) if side.is_averaged}
    return {n: scores_of(comparison, side, positions) for n, side in averaged.items()}


def scores_of(comparison: Comparison, side: Side, positions: Sequence[int]) -> dict[int, dict[str, Score]]:
    """position → evaluator name → the score that a side has of its own; of several runs their mean."""
    run_positions = comparison.aligner.placement(side.run.pk).positions_of(positions)
    scorings = [scoring for run in side.runs for scoring in comparison.sides.scorings[run]]
    by_run = scores_at(scorings, list(run_positions.values()))
    return {
        position: _mean([by_run[run.pk][run_positions[position]] for run in side.runs])
        if position in run_positions
        else {}
        for position in positions
    }


def _mean(repeats: Sequence[dict[str, Score]]) -> dict[str, Score]:
    """The mean of each evaluator's scores; the newest score if none of them has a value."""
    means = {}
    for name in dict.fromkeys(name for scores in repeats for name in scores):
        scores = [repeat[name] for repeat in repeats if name in repeat]
        values = [score.value for score in scores if score.value is not None]
        means[name] = Score(fmean(values), None, Status.SCORED.word) if values else scores[-1]
    return means


def overlaid(columns: Sequence[Slots], bounds: Bounds) -> list[Histogram]:
    """Histograms of several columns with the same bins, which begin where the scatter of these scores does."""
    found = extremes(*(column.values for column in columns))
    low, high = ends(bounds, found)
    edges = grid(beginning(low, high, found), high, BINS)
    counted = (_counted(column.values, edges) for column in columns)
    return [Histogram(tuple(edges.tolist()), tuple(counts.tolist())) for counts in counted]


def _counted(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.intp]:
    """How many values lie in each bin; those outside go to the end bins."""
    counts = np.zeros(len(edges) - 1, np.intp)
    for first in range(0, len(values), PART):
        part = values[first : first + PART]
        counts += np.histogram(np.clip(part[np.isfinite(part)], edges[0], edges[-1]), edges)[0]
    return counts
