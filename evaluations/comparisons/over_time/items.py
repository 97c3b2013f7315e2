"""What a dataset's variants say about its examples: those that tell no variant apart, and suspect references."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluations.models import Example, Output, Run

from ..comparison import Comparison
from .leaderboards import comparison_of, ranked_points
from .trends import Trend

FEWEST = 2  # variants
MOST_LISTED = 100  # examples of each list
MOST_READ = 1_000  # suspect examples whose outputs are read to find the most suspect ones
WORST = 0.1  # of the scale: a score this near to its worst end contradicts the reference
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Item:
    """An example with its scores: the same by all variants, or by the good ones.

    `same` of the good variants gave the `answer`, which is their most frequent one.
    """

    position: int
    score: float
    key: str | None = None
    same: int = 0
    answer: str | None = None


@dataclass(frozen=True)
class Items:
    """Of `examples` that all `runs` have: how many are `alike` to all variants, and how many are `contradicted`.

    Of the alike ones, `right` have the best score of the scale and `wrong` the worst one (null without an end).
    `good` are the variants that are not clearly worse than the best; null `contradicted` means that they cannot tell.
    """

    runs: Sequence[Run]
    examples: int
    alike: int = 0
    right: int | None = None
    wrong: int | None = None
    alike_listed: Sequence[Item] = ()
    good: Sequence[Run] = ()
    contradicted: int | None = None
    contradicted_listed: Sequence[Item] = ()


def items(trend: Trend) -> Items:
    """The items of the ranked runs of the leaderboard; empty for fewer than two."""
    points = ranked_points(trend)
    comparison = comparison_of(points) if len(points) >= FEWEST else None
    if comparison is None:
        return Items([point.run for point in points], 0)
    return _items(comparison)


@dataclass(frozen=True)
class _Table:
    """The scores of the sides in `indices`, sides by examples, with the ends of the scale (None without one)."""

    scores: NDArray[np.float64]
    indices: list[int]
    positions: NDArray[np.int64]
    tie: float
    best: float | None
    worst: float | None

    @classmethod
    def of_comparison(cls, comparison: Comparison) -> "_Table":
        primary = comparison.figures.primary
        aligned = comparison.figures.families.read.aligned(primary.pk)
        columns = {index: column.values for index, column in enumerate(aligned.columns) if column}
        scale, common = comparison.evaluators.scales[primary.pk], aligned.common
        ends = (scale.high, scale.low) if scale.direction == "maximize" else (scale.low, scale.high)
        scores = np.array([values[common] for values in columns.values()])
        positions = comparison.aligner.part(comparison.aligner.positions.every)[common]
        return cls(scores, list(columns), positions, scale.tie, *ends)

    def of_sides(self, indices: Sequence[int]) -> NDArray[np.float64]:
        return self.scores[[self.indices.index(index) for index in indices]]


def _items(comparison: Comparison) -> Items:
    table = _Table.of_comparison(comparison)
    runs = [comparison.sides[index].run for index in table.indices]
    if len(runs) < FEWEST or not len(table.positions):
        return Items(runs, 0)
    alike = np.ptp(table.scores, axis=0) <= table.tie
    listed = np.flatnonzero(alike)[:MOST_LISTED]
    found = Items(
        runs,
        len(table.positions),
        int(alike.sum()),
        _count(alike, table.scores[0], table.best),
        _count(alike, table.scores[0], table.worst),
        _keyed(comparison, [Item(int(table.positions[row]), float(table.scores[0, row])) for row in listed]),
    )
    return _with_contradicted(found, comparison, table)


def _count(alike: Flags, scores: NDArray[np.float64], end: float | None) -> int | None:
    return None if end is None else int((alike & (scores == end)).sum())


def _with_contradicted(found: Items, comparison: Comparison, table: _Table) -> Items:
    """The items with the references that all good variants contradict, if the good ones are any good."""
    good = _good(comparison, table.indices)
    if table.best is None or table.worst is None or len(good) < FEWEST:
        return found
    scores = table.of_sides(good)
    means = scores.mean(axis=1)
    if not (np.abs(means - table.best) < np.abs(means - table.worst)).all():
        return found
    near = np.abs(scores - table.worst) <= WORST * abs(table.best - table.worst)
    rows = np.flatnonzero(near.all(axis=0))
    suspects = [Item(int(table.positions[row]), float(scores[:, row].mean())) for row in rows[:MOST_READ]]
    good_runs = [comparison.sides[index].run for index in good]
    most_suspect = sorted(_answered(comparison, suspects, good_runs), key=lambda item: -item.same)
    return replace(
        found,
        good=good_runs,
        contradicted=len(rows),
        contradicted_listed=_keyed(comparison, most_suspect[:MOST_LISTED]),
    )


def _good(comparison: Comparison, indices: Sequence[int]) -> list[int]:
    """The sides that are not clearly worse than the best, best first; at least two."""
    order = [comparison.sides.every.index(ranked.side) for ranked in comparison.figures.ranking]
    tied = sum(ranked.rank[0] == 1 for ranked in comparison.figures.ranking)
    return [index for index in order if index in indices][: max(tied, FEWEST)]


def _answered(comparison: Comparison, suspects: Sequence[Item], good: Sequence[Run]) -> list[Item]:
    """The suspect examples with the most frequent answer of the good variants."""
    positions = np.array([item.position for item in suspects], np.int64)
    answers: dict[int, Counter[str]] = {item.position: Counter() for item in suspects}
    for run in good:
        own = comparison.aligner.placement(run.pk).positions_of(positions.tolist())
        by_own = {position: shared for shared, position in own.items()}
        outputs = Output.objects.filter(run=run, position__in=list(by_own), text__isnull=False)
        for position, text in outputs.values_list("position", "text"):
            answers[by_own[position]][(text or "").strip()] += 1
    most = {position: counted.most_common(1) for position, counted in answers.items()}
    return [
        replace(item, answer=most[item.position][0][0], same=most[item.position][0][1])
        if most[item.position]
        else item
        for item in suspects
    ]


def _keyed(comparison: Comparison, listed: Sequence[Item]) -> list[Item]:
    """The items with the keys of their examples."""
    wanted = [item.position for item in listed]
    examples = Example.objects.filter(dataset=comparison.sides.dataset, position__in=wanted)
    keys = dict(examples.values_list("position", "key"))
    return [replace(item, key=keys.get(item.position)) for item in listed]
