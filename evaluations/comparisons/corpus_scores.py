"""Corpus BLEU and chrF of the sides of a comparison: run statistics as sacrebleu gives them, from 0 to 100.

The scores are the means of the contributions by which the same statistic is compared as a headline; p is that of
sacrebleu's own test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.statistic import Counts, Values
from evaluations.models import Evaluator
from evaluations.statistics import randomization
from evaluations.statistics.randomization import Chance, Units
from evaluations.statistics.terms import Column, Interval

from .alignment.contributions import Contributions
from .alignment.sides import BASELINE

if TYPE_CHECKING:
    from .comparison import Comparison

WHOLE = 100.0  # the best score in sacrebleu's scale


@dataclass(frozen=True)
class CorpusScore:
    """The corpus score of a side, the mean of its sentence scores, and the difference from the baseline's corpus score.

    Interval and p come from approximate randomization: the interval excludes zero where p is at most 0.05. There are
    none if a variant was not repeated as often as the baseline.
    """

    side_index: int
    mean: float
    score: float
    difference: float | None
    interval: Interval | None
    p: float | None

    @property
    def verdict(self) -> str:
        """Better or worse where the interval excludes zero."""
        if self.interval is None:
            return "none"
        low, high = self.interval
        return "better" if low > 0 else "worse" if high < 0 else "cannot_tell"


@dataclass(frozen=True)
class CorpusScores:
    """The scores by one evaluator, over the `examples` of `total` that count on every side; `missing` says why there
    are none."""

    evaluator: int
    signature: str
    examples: int
    total: int
    scores: list[CorpusScore]
    missing: str | None = None


@dataclass(frozen=True)
class CorpusTable:
    """The table of one evaluator: variants with their scores, best first."""

    evaluator: Evaluator
    scores: CorpusScores
    rows: Sequence[tuple[str, CorpusScore]]


def evaluators(comparison: Comparison) -> list[Evaluator]:
    """The evaluators that have a corpus score (BLEU, chrF)."""
    return [evaluator for evaluator in comparison.evaluators if _recipe(comparison, evaluator.pk).is_corpus]


def corpus_scores(comparison: Comparison, evaluator: Evaluator) -> CorpusScores:
    """The corpus scores of all sides that the evaluator scored."""
    return comparison.figures.families.cached(
        CorpusScores, lambda: _computed(comparison, evaluator.pk), [evaluator.pk]
    )


def table(comparison: Comparison, evaluator: Evaluator) -> CorpusTable:
    """The corpus scores as a table for people."""
    scores = corpus_scores(comparison, evaluator)
    ordered = sorted(scores.scores, key=lambda system: -system.score)
    rows = [(comparison.sides.label(comparison.sides[system.side_index].run), system) for system in ordered]
    return CorpusTable(evaluator, scores, rows)


def _recipe(comparison: Comparison, evaluator_id: int) -> Recipe:
    return Recipe.from_version(comparison.evaluators.scoring(evaluator_id).evaluator_version)


def _computed(comparison: Comparison, evaluator_id: int) -> CorpusScores:
    families, recipe = comparison.figures.families, _recipe(comparison, evaluator_id)
    aligned = families.read.aligned(evaluator_id)
    [statistic] = recipe.counting().statistics
    contributed = Contributions(families.aligner, evaluator_id, recipe, aligned, statistic.name)
    total = int(np.count_nonzero(aligned.common))
    if contributed.missing is not None or not contributed.used.any():
        return CorpusScores(evaluator_id, "", 0, total, [], contributed.missing)
    rows = np.flatnonzero(contributed.used)
    scored = {
        index: (column, WHOLE * float(contribution.values[rows].mean()))
        for index, (column, contribution) in enumerate(
            zip(aligned.columns, contributed.columns(), strict=True)
        )
        if column is not None and contribution is not None
    }
    chances = _chances(contributed, rows, families.cluster_labels)
    return CorpusScores(
        evaluator_id,
        recipe.signature([counts[rows] for side in contributed.counts for counts in side]),
        len(rows),
        total,
        [_score(index, scored, rows, chances.get(index)) for index in scored],
    )


def _score(
    index: int, scored: dict[int, tuple[Column, float]], rows: NDArray[np.intp], chance: Chance | None
) -> CorpusScore:
    column, score = scored[index]
    difference = score - scored[BASELINE][1] if index != BASELINE and BASELINE in scored else None
    interval, p = (None, None) if chance is None else (chance.interval, chance.p)
    return CorpusScore(index, float(column.values[rows].mean()), score, difference, interval, p)


def _chances(
    contributed: Contributions, rows: NDArray[np.intp], labels: NDArray[np.int64] | None
) -> dict[int, Chance]:
    """By side, its difference from the baseline by approximate randomization; repetitions change sides together."""
    units = randomization.units(len(rows), None if labels is None else labels[rows])
    sums = {
        index: _sums(contributed, side, rows, units)
        for index, side in enumerate(contributed.counts)
        if side and not any((counts[rows, 0] < 0).any() for counts in side)
    }
    baseline = sums.pop(BASELINE, None)
    if baseline is None:
        return {}
    compared = {index: counts for index, counts in sums.items() if counts.shape == baseline.shape}
    repetitions = len(contributed.counts[BASELINE])

    def scores(summed: NDArray[np.int64]) -> Values:
        runs = np.split(summed.astype(np.float64), repetitions, axis=1)
        return np.asarray(WHOLE * np.mean([contributed.statistic.of(run) for run in runs], axis=0))

    found = randomization.against(baseline, [*compared.values()], scores) if compared else []
    return dict(zip(compared, found, strict=True))


def _sums(
    contributed: Contributions, side: Sequence[Counts], rows: NDArray[np.intp], units: Units | None
) -> NDArray[np.int64]:
    """The sums of each unit, those of the runs beside each other."""
    summed = []
    for counts in side:
        tallies = contributed.counting.tallies(counts[rows])
        whole = tallies.vectors[tallies.index].astype(np.int64)
        summed.append(randomization.summed(whole, units))
    return np.hstack(summed)
