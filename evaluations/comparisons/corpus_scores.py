"""Corpus BLEU and chrF of the sides of a comparison, from counts stored with their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from sacrebleu.metrics.base import Metric

from evaluations.evaluators.recipe import Recipe
from evaluations.mapping.sources import Matched
from evaluations.metrics import corpus
from evaluations.metrics.corpus import Counts
from evaluations.models import Evaluator, Scoring
from evaluations.scoring.causes import Cause
from evaluations.statistics import randomization
from evaluations.statistics.terms import Interval

from .corpus_counts import Indices, Source, SourceTexts

if TYPE_CHECKING:
    from .alignment.aligned import Aligned
    from .alignment.alignment import Aligner
    from .alignment.sides import Side
    from .comparison import Comparison

# outputs whose texts are read if counts are not stored; for more, a seeded sample is read
MOST_OUTPUTS = 10_000
SEED = 1
NO_ROWS = np.zeros(0, np.intp)
_Figures: TypeAlias = tuple[float, float | None, Interval | None, float | None]


@dataclass(frozen=True)
class CorpusScore:
    """The corpus score of a side, the mean of its sentence scores, and the difference from the baseline's corpus score.

    Interval and p come from approximate randomization: the interval excludes zero where p is at most 0.05.
    """

    side_index: int
    mean: float
    score: float
    difference: float | None
    interval: Interval | None
    p: float | None


@dataclass(frozen=True)
class CorpusScores:
    """The scores by one evaluator, over the `examples` of `total` that count on every side.

    The examples are a random sample if too many texts would have to be read. `further` are reference columns in
    addition to those that the evaluator reads.
    """

    evaluator: int
    signature: str
    examples: int
    total: int
    scores: list[CorpusScore]
    is_sample: bool = False
    further: Sequence[str] = ()


@dataclass(frozen=True)
class CorpusTable:
    """The table of one evaluator: variants with their scores, best first."""

    evaluator: Evaluator
    scores: CorpusScores
    rows: Sequence[tuple[str, CorpusScore]]


def evaluators(comparison: Comparison) -> list[Evaluator]:
    """The evaluators that have a corpus score (BLEU, chrF)."""
    return [evaluator for evaluator in comparison.evaluators if _recipe(comparison, evaluator.pk).corpus]


def corpus_scores(comparison: Comparison, evaluator: Evaluator, further: Sequence[str] = ()) -> CorpusScores:
    """The corpus scores of all sides that the evaluator scored. `further` adds reference columns."""
    further = _unread(_recipe(comparison, evaluator.pk), further)
    return comparison.figures.families.cached(
        CorpusScores, lambda: _computed(comparison, evaluator.pk, further), [evaluator.pk], *further
    )


def _unread(recipe: Recipe, further: Sequence[str]) -> list[str]:
    """Those of the `further` columns that the evaluator does not read; none if it names all of its references."""
    reference_source = recipe.mapping.sources["expected"]
    read = reference_source.path.prefix if isinstance(reference_source, Matched) else ()
    return [] if recipe.reads_several else [name for name in further if read != ("reference", name)]


def reads_several(comparison: Comparison, evaluator: Evaluator) -> bool:
    """Whether the evaluator compares with several references already, so that no further ones can be added."""
    return _recipe(comparison, evaluator.pk).reads_several


def table(comparison: Comparison, evaluator: Evaluator, further: Sequence[str] = ()) -> CorpusTable:
    """The corpus scores as a table for people."""
    scores = corpus_scores(comparison, evaluator, further)
    ordered = sorted(scores.scores, key=lambda system: -system.score)
    rows = [(comparison.sides.label(comparison.sides[system.side_index].run), system) for system in ordered]
    return CorpusTable(evaluator, scores, rows)


def reference_columns(comparison: Comparison) -> list[str]:
    """The reference columns of the dataset, if it has several: they may be references of the same text."""
    columns: list[str] = comparison.sides.dataset.columns.get("reference") or []
    return columns if len(columns) > 1 else []


def _recipe(comparison: Comparison, evaluator_id: int) -> Recipe:
    return Recipe.from_version(comparison.evaluators.scoring(evaluator_id).evaluator_version)


def _computed(comparison: Comparison, evaluator_id: int, further: Sequence[str]) -> CorpusScores:
    aligner, recipe = comparison.figures.families.aligner, _recipe(comparison, evaluator_id)
    aligned = aligner.aligned(evaluator_id, comparison.evaluators.scales[evaluator_id])
    columns = {index: column for index, column in enumerate(aligned.columns) if column is not None}
    candidates, metric = _candidates(aligner, aligned), recipe.corpus
    scorings = [_newest(comparison.sides[index], evaluator_id) for index in columns]
    sources = [Source(aligner, scoring, recipe, further) for scoring in scorings]
    nothing = CorpusScores(evaluator_id, "", 0, len(candidates), [])
    if metric is None:
        return nothing
    width = corpus.width(metric)
    rows = _rows(sources, candidates, width)
    read = SourceTexts.from_sources(sources, rows, width)
    complete = read.complete_rows(is_worst=aligner.missing == "worst")
    if not len(complete):
        return nothing
    counts = zip(columns, read.counts(metric, complete), strict=True)
    summed, references = _summed(comparison, counts, complete, width)
    scores = _compared(metric, summed)
    means = {index: float(column.values[complete].mean()) for index, column in columns.items()}
    return CorpusScores(
        evaluator_id,
        corpus.signature(metric, references),
        len(complete),
        len(candidates),
        [CorpusScore(index, means[index], *scores[index]) for index in columns],
        is_sample=len(rows) < len(candidates),
        further=further,
    )


def _summed(
    comparison: Comparison, counts: Iterable[tuple[int, Counts]], complete: Indices, width: int
) -> tuple[dict[int, Counts], set[int]]:
    """The counts of each side summed by cluster, and the numbers of references that occur."""
    labels = comparison.figures.families.cluster_labels
    units = randomization.units(len(complete), None if labels is None else labels[complete])
    summed, references = dict[int, Counts](), set[int]()
    for index, rows in counts:
        references |= set(np.unique(rows[:, width]).tolist())
        summed[index] = randomization.summed(rows[:, :width], units)
    return summed, references


def _newest(side: Side, evaluator_id: int) -> Scoring:
    return max(side.scorings[evaluator_id], key=lambda scoring: scoring.run_id)


def _candidates(aligner: Aligner, aligned: Aligned) -> Indices:
    """The rows that every scored side has; a missing output that counts as worst is an empty text."""
    worst = Cause.VARIANT if aligner.missing == "worst" else Cause.SCORED
    scored = [
        causes
        for causes, column in zip(aligned.causes, aligned.columns, strict=True)
        if causes is not None and column is not None
    ]
    return (
        np.flatnonzero(np.logical_and.reduce([causes <= worst for causes in scored])) if scored else NO_ROWS
    )


def _rows(sources: Sequence[Source], candidates: Indices, width: int) -> Indices:
    """All candidates, or a sample if too many texts would have to be read."""
    if sum(len(source.unread(candidates, width)) for source in sources) <= MOST_OUTPUTS:
        return candidates
    maximum = min(MOST_OUTPUTS // len(sources), len(candidates))
    return np.sort(np.random.default_rng(SEED).choice(candidates, maximum, replace=False))


def _compared(metric: Metric, counts: dict[int, Counts]) -> dict[int, _Figures]:
    """By index of a side, its score, and the difference from the baseline's score if the baseline has one."""
    scores = {index: corpus.score(metric, run_counts.sum(axis=0)) for index, run_counts in counts.items()}
    variants = [index for index in counts if index != 0] if 0 in counts else []
    figures: dict[int, _Figures] = {index: (score, None, None, None) for index, score in scores.items()}
    if variants:
        chances = randomization.against(
            counts[0], [counts[n] for n in variants], partial(corpus.scores, metric)
        )
        for n, chance in zip(variants, chances, strict=True):
            figures[n] = scores[n], chance.difference, chance.interval, chance.p
    return figures
