"""Corpus BLEU and chrF of the sides of a comparison, computed from the texts when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sacrebleu.metrics.base import Metric

from evaluations.evaluators.recipe import Recipe
from evaluations.jsonpath import ABSENT
from evaluations.mapping.sources import Matched
from evaluations.metrics import corpus
from evaluations.metrics.corpus import Counts, References
from evaluations.models import Evaluator, Run
from evaluations.scoring.causes import Cause
from evaluations.scoring.rows import Rows
from evaluations.statistics import randomization
from evaluations.statistics.clusters import Labels
from evaluations.statistics.terms import Interval
from evaluations.values import text_of

if TYPE_CHECKING:
    from .alignment import Aligned, Aligner
    from .comparison import Comparison

MOST_OUTPUTS = 10_000  # of more a sample of the examples, which has a seed
SEED = 1
AT_ONCE = 5_000
NO_ROWS = np.zeros(0, np.intp)
_Figures: TypeAlias = tuple[float, float | None, Interval | None, float | None]
Texts: TypeAlias = list[str | None]  # of one example: the output, the reference, and further references


@dataclass(frozen=True)
class CorpusScore:
    """One side by its place: the mean of its single scores, sacrebleu's score, and this against the baseline.

    Interval and p are of approximate randomization: the interval excludes zero where p is at most 0.05.
    """

    place: int
    mean: float
    score: float
    difference: float | None
    interval: Interval | None
    p: float | None


@dataclass(frozen=True)
class CorpusScores:
    """By one evaluator, over the `examples` of `total` in which every side counts; without scores there is none."""

    evaluator: int
    signature: str
    examples: int
    total: int
    scores: list[CorpusScore]


def evaluators(comparison: Comparison) -> list[Evaluator]:
    """Those whose measure is made for whole corpora."""
    return [one for one in comparison.evaluators if _recipe(comparison, one.pk).corpus]


def corpus_scores(comparison: Comparison, evaluator: Evaluator, further: Sequence[str] = ()) -> CorpusScores:
    """Every side that the evaluator scored. `further` are reference columns beside the one that it reads."""
    own = _recipe(comparison, evaluator.pk).mapping.sources["expected"]
    read = own.path.prefix if isinstance(own, Matched) else ()
    further = [name for name in further if read != ("reference", name)]
    return comparison.families.kept(
        CorpusScores, lambda: _computed(comparison, evaluator.pk, further), [evaluator.pk], *further
    )


def reference_columns(comparison: Comparison) -> list[str]:
    """Those of the dataset where it has several, so that they may be references of the same text."""
    columns: list[str] = comparison.dataset.columns.get("reference") or []
    return columns if len(columns) > 1 else []


def _recipe(comparison: Comparison, evaluator_id: int) -> Recipe:
    return Recipe.from_version(comparison.scoring(evaluator_id).evaluator_version)


def _computed(comparison: Comparison, evaluator_id: int, further: Sequence[str]) -> CorpusScores:
    aligner, recipe = comparison.families.aligner, _recipe(comparison, evaluator_id)
    aligned = aligner.aligned(evaluator_id, comparison.scale(evaluator_id))
    columns = {place: column for place, column in enumerate(aligned.columns) if column is not None}
    candidates = _candidates(aligner, aligned)
    rows = _sample(candidates, MOST_OUTPUTS // max(len(columns), 1))
    texts = [_texts(aligner, comparison.sides[place].run, recipe, rows, further) for place in columns]
    is_worst = aligner.missing == "worst"
    kept = [n for n in range(len(rows)) if all(_is_counted(side[n], is_worst) for side in texts)]
    metric = recipe.corpus
    if metric is None or not kept:
        return CorpusScores(evaluator_id, "", 0, len(candidates), [])
    counted = corpus.counts(metric, [_streams([side[n] for n in kept]) for side in texts])
    counts = dict(zip(columns, counted, strict=True))
    labels = comparison.families.cluster_labels
    scores = _compared(metric, counts, None if labels is None else labels[rows[kept]])
    means = {place: float(column.values[rows[kept]].mean()) for place, column in columns.items()}
    return CorpusScores(
        evaluator_id,
        corpus.signature(metric),
        len(kept),
        len(candidates),
        [CorpusScore(place, means[place], *scores[place]) for place in columns],
    )


def _candidates(aligner: Aligner, aligned: Aligned) -> np.ndarray:
    """The rows that every side with a score has; a missing output is an empty one where it counts as worst."""
    worst = Cause.VARIANT if aligner.missing == "worst" else Cause.SCORED
    scored = [
        causes
        for causes, column in zip(aligned.causes, aligned.columns, strict=True)
        if causes is not None and column is not None
    ]
    return (
        np.flatnonzero(np.logical_and.reduce([causes <= worst for causes in scored])) if scored else NO_ROWS
    )


def _sample(rows: np.ndarray, most: int) -> np.ndarray:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(SEED).choice(rows, most, replace=False))


def _texts(
    aligner: Aligner, run: Run, recipe: Recipe, rows: np.ndarray, further: Sequence[str]
) -> list[Texts]:
    """Of these rows, as the run has them."""
    known = np.arange(1, aligner.dataset.last_position + 1)
    positions = aligner.part(aligner.laid(run.pk, known, 0))[rows].tolist()
    read: dict[int, Texts] = {}
    for first in range(0, len(positions), AT_ONCE):
        read |= _read(run, recipe, sorted(positions[first : first + AT_ONCE]), further)
    nothing: Texts = [None] * (2 + len(further))
    return [read.get(position, nothing) for position in positions]


def _read(run: Run, recipe: Recipe, positions: Sequence[int], further: Sequence[str]) -> dict[int, Texts]:
    rows = Rows.at(run, positions, recipe.needs | {"reference"})
    columns = recipe.mapping.resolve(rows.contexts)
    others = [rows.contexts.values(("reference", name)) for name in further]
    values = zip(columns["actual"].values, columns["expected"].values, *others, strict=True)
    texts = ([text_of(value) if value is not ABSENT else None for value in each] for each in values)
    return dict(zip(rows.positions.tolist(), texts, strict=True))


def _is_counted(texts: Texts, is_worst: bool) -> bool:
    """Whether an example of a side has a reference, and an output unless a missing one counts as worst."""
    return texts[1] is not None and (is_worst or texts[0] is not None)


def _streams(texts: Sequence[Texts]) -> tuple[list[str], References]:
    """The outputs, and every reference of all examples."""
    actual, *references = zip(*texts, strict=True)
    return [text or "" for text in actual], references


def _compared(metric: Metric, counts: dict[int, Counts], labels: Labels | None) -> dict[int, _Figures]:
    """By place: the score, and where the baseline has one, how it differs from that."""
    scores = {place: corpus.score(metric, own.sum(axis=0)) for place, own in counts.items()}
    others = [place for place in counts if place != 0] if 0 in counts else []
    figures: dict[int, _Figures] = {place: (score, None, None, None) for place, score in scores.items()}
    if others:
        chances = randomization.against(
            counts[0], [counts[n] for n in others], partial(corpus.scores, metric), labels
        )
        for n, chance in zip(others, chances, strict=True):
            figures[n] = scores[n], chance.difference, chance.interval, chance.p
    return figures
