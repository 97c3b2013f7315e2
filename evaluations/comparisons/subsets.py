"""Finds subsets of the examples on which the difference from the baseline deviates from the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluations.models import Evaluator
from evaluations.statistics import subset_overlap
from evaluations.statistics.subsets import (
    Differences,
    Subset,
    SubsetColumn,
    by_importance,
    find,
    heterogeneity,
)
from evaluations.statistics.terms import Values, Verdict
from evaluations.values import Direction

from .alignment.sides import BASELINE
from .figures.families import Families
from .figures.figures import Figures
from .grouping import subset_columns

Codes: TypeAlias = NDArray[np.signedinteger]
Value: TypeAlias = tuple[str, str]  # of metadata, behind its column
# subsets for which the figures of their own page are computed: the most important reported ones
MOST_SETTLED = 20
# examples times variants that are searched for the sentence; larger searches only on request
MOST_PAIRS = 1_000_000
# sides of a comparison searched for the sentence: each settled subset draws the law of all pairs of sides again
MOST_SIDES = 10


@dataclass(frozen=True)
class Search:
    """All subsets by one evaluator, reversals first; a subset's `key` is the index of its side.

    `columns` are those searched. `heterogeneity_p` is the p of the column whose subsets differ most clearly, times
    the number of columns and sides (Bonferroni).
    """

    columns: list[str]
    subsets: list[Subset]
    heterogeneity_p: float | None

    def exceptions(
        self, index: int, direction: Direction, overall: Verdict | None
    ) -> list[tuple[Verdict, str]]:
        """Verdicts and labels of subsets whose own page calls the side better or worse, unlike the `overall` verdict.

        If there are none, those of subsets with a difference against a clear `overall` verdict that is not clear.
        """
        return [(word, self.label(subset)) for word, subset in self.deviating(index, direction, overall)]

    def deviating(
        self, index: int, direction: Direction, overall: Verdict | None
    ) -> list[tuple[Verdict, Subset]]:
        """The verdicts of `exceptions` with their subsets."""
        certain_subsets = [
            subset
            for subset in self.subsets
            if subset.key == index and _is_certain(subset) and subset.is_distinct
        ]
        verdicts = [(word, subset) for subset in certain_subsets if (word := verdict(subset, direction))]
        clear = [(word, subset) for word, subset in verdicts if word not in ("cannot_tell", overall)]
        if clear or overall in (None, "cannot_tell"):
            return clear
        return [(word, subset) for word, subset in verdicts if subset.is_reversed]

    @property
    def counted(self) -> list[Subset]:
        """Each set of examples once, whatever columns divide it off."""
        return [subset for subset in self.subsets if not subset.is_twin]

    @property
    def named(self) -> dict[str, tuple[str, str]]:
        """By label, the column and value of each subset that a sentence may name."""
        return {self.label(subset): (subset.column, subset.name) for subset in self._settled}

    @property
    def named_sides(self) -> dict[str, int]:
        """By label, the index of the side that deviates most on it, which sentences name first."""
        return {self.label(subset): subset.key for subset in reversed(self._settled)}

    @property
    def _settled(self) -> list[Subset]:
        return [subset for subset in self.subsets if subset.is_settled]

    def label(self, subset: Subset) -> str:
        """The label of a subset in sentences; with its column if two columns have the same value."""
        columns = {settled.column for settled in self._settled if settled.label == subset.label}
        return f"{subset.column} {subset.label}" if len(columns) > 1 else subset.label


NOTHING = Search([], [], None)


def verdict(subset: Subset, direction: Direction) -> Verdict | None:
    """The verdict of the subset's own page; None if it gives none, or is not computed."""
    if subset.interval is None or not subset.is_settled:
        return None
    low, high = subset.interval
    if low <= 0 <= high:
        return "cannot_tell"
    return "better" if (low > 0) == (direction == "maximize") else "worse"


def search(figures: Figures, evaluator: Evaluator | None) -> Search:
    """Search all sides against the baseline by one evaluator, over the pairs of the comparison; cached."""
    indices = _judged(figures, evaluator)
    if not evaluator or not indices:
        return NOTHING
    hidden = figures.aligner.sealed(evaluator.pk).key
    return figures.families.cached(
        Search, lambda: _search(figures, evaluator, indices), [evaluator.pk], indices, hidden
    )


def cached_search(figures: Figures) -> Search | None:
    """The search by the primary evaluator, if it is cached or quick; None while a scoring is in progress."""
    primary, indices = figures.evaluators.primary, _judged(figures, figures.evaluators.primary)
    if not primary or not indices:
        return None
    pairs = figures.sides.dataset.example_count * len(indices)
    if pairs > MOST_PAIRS or len(figures.sides) > MOST_SIDES or not figures.families.is_final([primary.pk]):
        hidden = figures.aligner.sealed(primary.pk).key
        return figures.families.cached_result(Search, [primary.pk], indices, hidden)
    return search(figures, primary)


def lost(figures: Figures, index: int) -> tuple[Search, list[Subset]]:
    """The search and its subsets on which a side is worse than the baseline, though it is not so overall.

    Of the baseline itself, those on which the next best side is better.
    """
    other, word = (index, "worse") if index != BASELINE else (_next_best(figures), "better")
    search = cached_search(figures) if other is not None else None
    if search is None or other is None or not search.subsets:
        return NOTHING, []
    overall = figures.primary_family.against(BASELINE, other).comparison
    direction = figures.evaluators.direction(figures.primary.pk)
    found = search.deviating(other, direction, overall.verdict if overall else None)
    return search, [subset for verdict_there, subset in found if verdict_there == word]


def labels_lost(figures: Figures, index: int) -> list[str]:
    """The labels of these subsets."""
    search, found = lost(figures, index)
    return [search.label(subset) for subset in found]


def _next_best(figures: Figures) -> int | None:
    """The index of the side with the highest rank other than the baseline's."""
    ranked = (figures.sides.every.index(row.side) for row in figures.ranking)
    return next((index for index in ranked if index != BASELINE), None)


def _judged(figures: Figures, evaluator: Evaluator | None) -> list[int]:
    """The indices of the sides that have a verdict against the baseline."""
    variants = list(enumerate(figures.sides))[1:] if evaluator else []
    baseline = figures.sides.baseline
    return [
        index for index, side in variants if evaluator and not figures.no_verdict(evaluator, [baseline, side])
    ]


def _search(figures: Figures, evaluator: Evaluator, indices: Sequence[int]) -> Search:
    families = figures.families
    aligner = families.aligner
    columns = subset_columns.of_dataset(families.dataset, aligner.positions, aligner.variants)
    hidden = aligner.part(aligner.sealed(evaluator.pk).slots)
    searched = [replace(column, codes=aligner.part(column.codes)) for column in columns]
    if hidden.any():
        searched = [replace(column, codes=np.where(hidden, -1, column.codes)) for column in searched]
    compared = _compared(families, evaluator.pk, indices)
    all_subsets = find(compared, searched, families.cluster_labels)
    subsets = settled(figures, evaluator, all_subsets, _important(all_subsets))
    subsets = _marked(subsets, compared, searched)
    names = [*dict.fromkeys(column.name for column in searched)]
    return Search(names, by_importance(subsets), _heterogeneity(all_subsets))


def _marked(
    subsets: Sequence[Subset], compared: dict[int, Differences], columns: Sequence[SubsetColumn]
) -> list[Subset]:
    """The subsets; of those with a clear difference, the ones that another explains are not distinct."""
    clear = [subset for subset in subsets if _is_certain(subset) and subset.is_clear]
    explained = subset_overlap.explained(clear, compared, columns)
    again = subset_overlap.twins(subsets, compared, columns)
    return [
        replace(subset, is_distinct=subset not in explained, is_twin=subset in again) for subset in subsets
    ]


def _is_certain(subset: Subset) -> bool:
    """Whether a sentence can name the subset: by the level of the table, which then says the same."""
    return subset.is_settled and subset.reported


def _important(subsets: Sequence[Subset]) -> list[Value]:
    """The columns and values of the most important reported subsets."""
    reported = dict.fromkeys((subset.column, subset.name) for subset in subsets if subset.reported)
    return [*reported][:MOST_SETTLED]


def settled(
    figures: Figures, evaluator: Evaluator, subsets: Iterable[Subset], values: Iterable[Value]
) -> list[Subset]:
    """The subsets; those in `values` have the figures that the page of their examples shows."""
    pages = {value: figures.within(*value) for value in values}
    return [
        _as_on(page, evaluator, subset) if (page := pages.get((subset.column, subset.name))) else subset
        for subset in subsets
    ]


def _as_on(page: Figures, evaluator: Evaluator, subset: Subset) -> Subset:
    """The subset with the figures of its page; if the page has no pairs, the difference stays."""
    paired = page.entry_of(evaluator, subset.key).paired
    interval, reason = paired.shown_interval, paired.reason or ""
    if paired.difference is None:
        return replace(subset, interval=None, reason=reason, is_settled=True)
    return replace(
        subset, n=paired.n, difference=paired.difference, interval=interval, reason=reason, is_settled=True
    )


def _compared(families: Families, evaluator_id: int, indices: Sequence[int]) -> dict[int, Differences]:
    aligned, direction = families.read.aligned(evaluator_id), families.scales[evaluator_id].direction
    if evaluator_id == families.primary_id:
        aligned = aligned.with_common_only()
    compared = families.read.column_set(evaluator_id, aligned).columns
    baseline, columns = compared[BASELINE], {index: compared[index] for index in indices}
    contributed = families.read.contributions(evaluator_id, aligned)

    def by_subset(index: int, codes: Codes) -> Values:
        assert contributed is not None
        return contributed.within(index, codes) - contributed.within(BASELINE, codes)

    return {
        index: Differences(
            column.values - baseline.values,
            direction,
            None if contributed is None else partial(by_subset, index),
        )
        for index, column in columns.items()
        if column and baseline
    }


def _heterogeneity(subsets: Sequence[Subset]) -> float | None:
    def column_of(subset: Subset) -> tuple[str, str]:
        return str(subset.key), subset.column

    # The members of a set overlap, so they cannot be compared with each other.
    apart = sorted((subset for subset in subsets if not subset.is_set), key=column_of)
    by_column = (list(members) for _, members in groupby(apart, column_of))
    ps = [p for p in map(heterogeneity, by_column) if p is not None]
    return min(1.0, min(ps) * len(ps)) if ps else None
