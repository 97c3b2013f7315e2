"""Sections of a report besides the verdict: subsets, agreement of evaluators, corpus scores, and all other runs."""

from dataclasses import dataclass

from evaluations import kinds
from evaluations.comparisons import corpus_scores, evaluator_agreement, subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusTable
from evaluations.comparisons.evaluator_agreement import Matrix
from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.leaderboards import Leaderboard, leaderboard
from evaluations.comparisons.over_time.system_agreement import SystemAgreement, system_agreement
from evaluations.comparisons.people import standing
from evaluations.comparisons.subsets import Search
from evaluations.models import Evaluator


@dataclass(frozen=True)
class FurtherSections:
    """The figures of these sections; `board` and `systems` cover all runs on the dataset, or are None."""

    search: Search
    corpus: list[CorpusTable]
    matrix: Matrix | None
    board: Leaderboard | None
    systems: SystemAgreement | None


def further_sections(comparison: Comparison, *, alone: bool = False) -> FurtherSections:
    """The sections; `alone` leaves out those of other runs on the dataset."""
    tables = [
        corpus_scores.table(comparison, evaluator) for evaluator in corpus_scores.evaluators(comparison)
    ]
    return FurtherSections(
        search=subsets.search(comparison.figures, comparison.evaluators.primary),
        corpus=[table for table in tables if table.rows],
        matrix=evaluator_agreement.matrix(comparison) if len(comparison.evaluators) > 1 else None,
        board=None if alone else _board(comparison),
        systems=None if alone else _systems(comparison),
    )


def _board(comparison: Comparison) -> Leaderboard | None:
    """The leaderboard by the primary evaluator; None before it has scored a run."""
    primary = comparison.evaluators.primary
    if primary is None or not _has_ended(comparison, primary):
        return None
    trend = trends.trend(comparison.sides.dataset, str(primary.pk))
    return leaderboard(trend) if trend and trend.points else None


def _systems(comparison: Comparison) -> SystemAgreement | None:
    """The agreement of evaluators on the order of systems with the first outside evaluator."""
    outside_evaluators = (x for x in comparison.evaluators if _is_outside(comparison, x))
    outside = next((evaluator for evaluator in outside_evaluators if _has_ended(comparison, evaluator)), None)
    agreement = outside and system_agreement(comparison.sides.dataset, str(outside.pk))
    return agreement if agreement and agreement.rows else None


def _is_outside(comparison: Comparison, evaluator: Evaluator) -> bool:
    """Whether others can be measured by it: its scores come from outside, and not from a judge that nobody checked."""
    version = comparison.evaluators.scoring(evaluator.pk).evaluator_version
    return kinds.get(version.kind).family == kinds.Family.OUTSIDE and not standing.is_unchecked(version)


def _has_ended(comparison: Comparison, evaluator: Evaluator) -> bool:
    return evaluator in trends.evaluators(comparison.sides.dataset)
