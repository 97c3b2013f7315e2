"""Agreement of evaluators on the outputs of a comparison, and the outputs on which two of them disagree most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from evaluations.statistics.correlation import Correlations, Labels, correlations, gaps
from evaluations.statistics.terms import Values
from evaluations.statistics.wording import number, reach

from .alignment.alignment import Aligner
from .grouping import clustering

if TYPE_CHECKING:
    from evaluations.models import Evaluator

    from .comparison import Comparison

MOST_SCORES = 50_000  # scores of one evaluator; for more, a seeded sample of the examples is used
MOST_SHOWN = 20
SEED = 1
AMOUNTS = ((0.3, "little"), (0.6, "something"), (0.85, "much"))  # each word is for |r| below its limit


@dataclass(frozen=True)
class Disagreement:
    """One output: its example, its side, both scores, and the difference of its ranks by both evaluators (-1 to 1).

    `ranks` are its places among the outputs with both scores, the best first; outputs with the same score share one.
    """

    position: int
    side_index: int
    scores: tuple[float, float]
    gap: float
    ranks: tuple[int, int]


@dataclass(frozen=True)
class PairAgreement:
    """The agreement of two evaluators: on all outputs, and on differences of variants from the baseline."""

    scores: Correlations
    differences: Correlations | None
    disagreements: list[Disagreement]


@dataclass(frozen=True)
class Matrix:
    """Correlations of every two evaluators, by their ids, without intervals, over `examples` of `total`."""

    pairs: list[tuple[int, int, Correlations]]
    examples: int
    total: int

    @property
    def listed(self) -> list[tuple[tuple[int, int], Correlations]]:
        return [((first, second), correlations) for first, second, correlations in self.pairs]

    def of_pair(self, first_id: int, second_id: int) -> Correlations | None:
        return next(
            (correlations for *ids, correlations in self.pairs if {first_id, second_id} == set(ids)), None
        )


def matrix(comparison: Comparison) -> Matrix:
    """The correlations of every pair. Scores are turned so that higher is better; unanswered examples do not count."""
    families = comparison.figures.families
    evaluators = [evaluator.pk for evaluator in comparison.evaluators]
    return families.cached(
        Matrix, lambda: _matrix(comparison, evaluators), evaluators, *_sealed(comparison, evaluators)
    )


def pair(comparison: Comparison, first: Evaluator, second: Evaluator) -> PairAgreement:
    """Two evaluators, with intervals from resamples of examples, or of the clusters in use."""
    pks = [first.pk, second.pk]
    return comparison.figures.families.cached(
        PairAgreement, lambda: _pair(comparison, *pks), pks, *_sealed(comparison, pks)
    )


def scores_of(comparison: Comparison, first: Evaluator, second: Evaluator) -> tuple[Values, Values]:
    """The scores of both evaluators for each output that their agreement rests on; NaN where one lacks."""
    aligner = _aligner(comparison)
    rows = _sample(aligner)
    signs = [comparison.evaluators.sign(one.pk) for one in (first, second)]
    x, y = (_scores(comparison, aligner, one.pk, rows).ravel() for one in (first, second))
    return signs[0] * x, signs[1] * y


def _sealed(comparison: Comparison, evaluators: Sequence[int]) -> list[str]:
    """What the cached figures leave out: scores that the seal hides, since an agreement would tell them."""
    return [comparison.aligner.sealed(pk).key for pk in evaluators]


def words(first: str, second: str, correlations: Correlations, subject: str = "scores") -> str:
    """How well the first evaluator predicts the second, in a sentence."""
    r = correlations.pearson.value
    if r is None:
        return (
            f"No result for {subject}: there are too few, or one evaluator gives all of them the same value."
        )
    figures = f"{_figures(correlations)[:-1]} of their variation."
    return f"The {subject} of {first} tell you {_amount(correlations)} about those of {second}: {figures}"


def _figures(correlations: Correlations) -> str:
    r, interval = correlations.pearson.value or 0.0, correlations.pearson.interval
    around = "" if interval is None else f" ({reach(interval)})"
    return f"r {number(r, signed=True)}{around}, so it accounts for {round(100 * r * r)} %."


def words_on_differences(first: str, second: str, pair: PairAgreement) -> str | None:
    """The same about differences between variants, in short; None if there is only one variant."""
    if pair.differences is None:
        return None
    if pair.differences.pearson.value is None:
        return words(first, second, pair.differences, "differences between variants")
    return f"About differences between variants, {_amount(pair.differences)}: {_figures(pair.differences)}"


def _amount(correlations: Correlations) -> str:
    r, interval = correlations.pearson.value or 0.0, correlations.pearson.interval
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "nothing certain"
    amount = next((word for maximum, word in AMOUNTS if abs(r) < maximum), "almost everything")
    return amount if r > 0 else f"{amount}, the other way round,"


def _matrix(comparison: Comparison, evaluators: Sequence[int]) -> Matrix:
    aligner = _aligner(comparison)
    rows = _sample(aligner)
    scores = {pk: _scores(comparison, aligner, pk, rows) for pk in evaluators}
    pairs = [
        (first, second, correlations(scores[first].ravel(), scores[second].ravel()))
        for first, second in combinations(evaluators, 2)
    ]
    return Matrix(pairs, len(rows), aligner.size)


def _pair(comparison: Comparison, first_id: int, second_id: int) -> PairAgreement:
    aligner = _aligner(comparison)
    rows = _sample(aligner)
    x, y = (_scores(comparison, aligner, pk, rows) for pk in (first_id, second_id))
    labels = np.broadcast_to(_labels(comparison, aligner)[rows], x.shape)
    return PairAgreement(
        correlations(x.ravel(), y.ravel(), labels.ravel(), SEED),
        _of_differences(x, y, labels) if len(x) > 1 else None,
        _disagreements(aligner, rows, x, y, [*map(comparison.evaluators.sign, (first_id, second_id))]),
    )


def _of_differences(x: Values, y: Values, labels: Labels) -> Correlations:
    return correlations((x[1:] - x[0]).ravel(), (y[1:] - y[0]).ravel(), labels[1:].ravel(), SEED)


def _aligner(comparison: Comparison) -> Aligner:
    """An aligner that loads scores without filling in missing outputs."""
    return Aligner(comparison.sides, "exclude", comparison.example_filter)


def _sample(aligner: Aligner) -> np.ndarray:
    """The sampled rows, ascending."""
    maximum = max(1, MOST_SCORES // len(aligner.sides))
    if aligner.size <= maximum:
        return np.arange(aligner.size)
    return np.sort(np.random.default_rng(SEED).choice(aligner.size, maximum, replace=False))


def _scores(comparison: Comparison, aligner: Aligner, evaluator_id: int, rows: np.ndarray) -> Values:
    """Scores with shape (sides, rows), higher is better; NaN without a score."""
    columns = aligner.aligned(evaluator_id, comparison.evaluators.scales[evaluator_id]).columns
    sign = comparison.evaluators.sign(evaluator_id)
    none, hidden = np.full(len(rows), np.nan), aligner.part(aligner.sealed(evaluator_id).slots)[rows]
    scores = np.stack([none if column is None else sign * column.values[rows] for column in columns])
    return np.where(hidden, np.nan, scores)


def _labels(comparison: Comparison, aligner: Aligner) -> Labels:
    """The units of resampling: the clusters in use, else single rows."""
    if comparison.figures.clusters is None:
        return np.arange(aligner.size)
    column = comparison.figures.clusters.column
    return aligner.part(clustering.labels(comparison.sides.dataset, aligner.positions, [column])[column])


def _places(values: Values) -> Callable[[float], int]:
    """The place of a score among these: 1 for the highest."""
    ascending = np.sort(values)
    return lambda score: 1 + len(ascending) - int(np.searchsorted(ascending, score, side="right"))


def _disagreements(
    aligner: Aligner, rows: np.ndarray, x: Values, y: Values, signs: Sequence[int]
) -> list[Disagreement]:
    gap = gaps(x.ravel(), y.ravel())
    order = np.argsort(-np.abs(gap), kind="stable")  # NaN last
    shown = aligner.part(aligner.positions.every)[rows]
    places = [_places(values.ravel()[np.isfinite(gap)]) for values in (x, y)]
    return [
        Disagreement(
            position=int(shown[n % len(rows)]),
            side_index=int(n // len(rows)),
            scores=(signs[0] * float(x.flat[n]), signs[1] * float(y.flat[n])),
            gap=float(gap[n]),
            ranks=(places[0](float(x.flat[n])), places[1](float(y.flat[n]))),
        )
        for n in order[:MOST_SHOWN]
        if abs(gap[n]) > 0
    ]
