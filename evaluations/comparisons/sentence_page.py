"""Collects the facts about ranked sides from which sentences about a comparison are written."""

from __future__ import annotations

from collections.abc import Sequence

from evaluations.models import Evaluator, Run
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.sentence_facts import Page, PrimaryFacts
from evaluations.statistics.terms import Difference, Verdict

from .figures.figures import ComparisonFigures
from .subsets import Search


def primary_facts(comparison: ComparisonFigures, search: Search | None) -> PrimaryFacts:
    """The facts for the short verdict, with the subsets of a search; needs a primary evaluator.

    Reads no other evaluators, because lists show the short verdicts of many experiments.
    """
    assert comparison.primary is not None
    indices, reason = shown(comparison), comparison.no_ranking
    return PrimaryFacts(
        variants=[comparison.label(comparison.sides[index].run) for index in indices],
        baseline=indices.index(0) if 0 in indices else 0,
        evaluator=comparison.primary.name,
        primary=None if reason else comparison.family.all,
        no_verdict=reason,
        subsets=_subsets(comparison, search, indices),
        few_groups=_few_groups(comparison, indices),
    )


def _few_groups(comparison: ComparisonFigures, indices: Sequence[int]) -> dict[tuple[int, int], FewGroups]:
    """By numbers of the shown sides, both ways round, the column to tell of a clear difference."""
    numbers = {index: number for number, index in enumerate(indices)}
    pairs = [both for pair in comparison.family.pairs if pair.few_groups for both in (pair, pair.mirrored())]
    return {
        (numbers[pair.baseline], numbers[pair.side]): pair.few_groups
        for pair in pairs
        if pair.few_groups and pair.baseline in numbers and pair.side in numbers
    }


def shown(comparison: ComparisonFigures) -> Sequence[int]:
    """The sides that the sentences are about: the ranked sides by index; all sides if at most one is ranked."""
    ranked = comparison.family.ranked
    return ranked if len(ranked) > 1 else range(len(comparison.sides))


def page(comparison: ComparisonFigures, search: Search | None) -> Page:
    """The facts for all sentences, with the subsets of a search; needs a primary evaluator."""
    indices, secondary, measures = shown(comparison), comparison.evaluators[1:], comparison.measures
    return Page(
        **vars(primary_facts(comparison, search)),
        secondary={evaluator.name: _row(comparison, evaluator, indices) for evaluator in secondary},
        measures={
            measure.name: [measure.comparisons[index] for index in indices] for measure in measures.measures
        },
        answered=[(measures.answered[index], measures.examples[index]) for index in indices],
        missing=comparison.missing,
        estimated=[
            evaluator.name for evaluator in comparison.evaluators if not comparison.scored(evaluator).is_bound
        ],
        preliminary=any(run.status in Run.OPEN for run in comparison.runs),
        clusters=comparison.clusters,
    )


def _subsets(
    comparison: ComparisonFigures, search: Search | None, indices: Sequence[int]
) -> dict[int, list[tuple[Verdict, str]]]:
    """For each variant, the subsets on which its verdict differs from its overall verdict, if they are computed."""
    if search is None or comparison.primary is None:
        return {}
    direction = comparison.direction(comparison.primary.pk)
    overall = {index: comparison.family.against(0, index).comparison for index in indices if index}
    return {
        number: search.exceptions(index, direction, compared.verdict)
        for number, index in enumerate(indices)
        if (compared := overall.get(index))
    }


def _row(
    comparison: ComparisonFigures, evaluator: Evaluator, indices: Sequence[int]
) -> list[Difference | None]:
    """The comparisons of these sides with the baseline."""
    by_run = {entry.run.pk: entry.paired for entry in comparison.entries_of(evaluator)}
    return [by_run.get(comparison.sides[index].run.pk) for index in indices]
