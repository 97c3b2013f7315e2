"""Collects from figures the facts that sentences about a comparison are written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluations.models import Evaluator, Run
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.inference import NOTHING
from evaluations.statistics.people.strata import Helped
from evaluations.statistics.secondary_sentences import OPPOSITE
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.terms import Difference, Verdict

from . import file_raters
from .alignment.sides import BASELINE
from .figures.family_figures import SecondaryFamily
from .figures.figures import Figures
from .people import standing
from .subsets import MOST_PAIRS, Search


def brief(figures: Figures, search: Search | None) -> Facts:
    """The facts for the short verdict, with the subsets of a search; needs a primary evaluator.

    Reads no other evaluators: `short` does where a verdict is clear.
    """
    indices, reason = shown(figures), figures.no_ranking
    return Facts(
        variants=[figures.sides.label(figures.sides[index].run) for index in indices],
        baseline=indices.index(BASELINE) if BASELINE in indices else 0,
        evaluator=figures.evaluators.compared_name(figures.primary),
        pairs=NOTHING if reason else figures.primary_family.ranked_pairs,
        no_verdict=reason,
        subsets=_subsets(figures, search, indices),
        few_groups=_few_groups(figures, indices),
        helped=_helped(figures, indices),
        helper=figures.people.helper_name if figures.people else "",
        share=figures.evaluators.counted(figures.primary.pk),
        scale=_scale(figures),
        is_graded=bool(figures.evaluators.graded_on(figures.primary.pk)),
        filtered_by=figures.aligner.example_filter.told,
    )


def _scale(figures: Figures) -> str:
    """What the primary's scores range over, and that a file brought them along where it names nobody who gave them."""
    told = figures.evaluators.scale_told(figures.primary.pk)
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    if not file_raters.is_of_file(version) or file_raters.of(figures.sides.experiment, version):
        return told
    return ", ".join(filter(None, [told, "from the file"]))


def short(figures: Figures, search: Search | None) -> Facts:
    """The facts for a row of a list: as `brief`, with the other evaluators that say the opposite of a clear verdict."""
    found = brief(figures, search)
    variant = found.focus
    said = found.pairs.comparison(found.baseline, variant).verdict if variant is not None else None
    if variant is None or said not in OPPOSITE or not _knows_others(figures):
        return found
    index, rows = shown(figures)[variant], figures.families.secondary.by_evaluator
    verdicts = {row.verdict for one in rows.values() if (row := one.comparisons[index])}
    return replace(found, secondary=_secondary(figures)) if OPPOSITE[said] in verdicts else found


def _knows_others(figures: Figures) -> bool:
    """Whether the other evaluators can be read in a list: their scoring has ended, and they are few or known."""
    secondary = [evaluator.pk for evaluator in figures.evaluators.secondary]
    if not secondary or not figures.families.is_final(secondary):
        return False
    known = figures.families.cached_result(SecondaryFamily, [*figures.families.scales])
    return is_quick(figures, len(secondary)) or known is not None


def is_quick(figures: Figures, evaluators: int = 1) -> bool:
    """Whether so many evaluators can be compared in a list: they are final, and have few pairs."""
    pairs = figures.sides.dataset.example_count * len(figures.sides.others) * evaluators
    return pairs <= MOST_PAIRS and figures.families.is_final([])


def first(figures: Figures, search: Search | None) -> Facts:
    """The facts for the first line, which is about the primary evaluator alone."""
    is_open = any(run.status in Run.OPEN for run in figures.sides.runs)
    return replace(brief(figures, search), judge=_of_judge(figures), preliminary=is_open)


def every(figures: Figures, search: Search | None) -> Facts:
    """The facts for all sentences, with the subsets of a search; needs a primary evaluator."""
    indices, measures = shown(figures), figures.measures
    return replace(
        first(figures, search),
        secondary=_secondary(figures),
        measures={
            measure.name: [measure.comparisons[index] for index in indices] for measure in measures.measures
        },
        answered=[(measures.answered[index], measures.examples[index]) for index in indices],
        unread=[measures.unread[index] for index in indices],
        unread_as=figures.evaluators.unread_as(figures.primary.pk),
        missing=figures.aligner.missing,
        shares=[
            figures.evaluators.compared_name(e)
            for e in figures.evaluators.secondary
            if figures.evaluators.share(e.pk) == "right"
        ],
        in_points=[
            figures.evaluators.compared_name(e)
            for e in figures.evaluators.secondary
            if figures.evaluators.is_share(e.pk)
        ],
        people=[
            figures.evaluators.compared_name(e)
            for e in figures.evaluators.secondary
            if figures.standings.get(e.pk) == "people"
        ],
        judges=[
            figures.evaluators.compared_name(e)
            for e in figures.evaluators.secondary
            if standing.is_judge(figures.evaluators.scoring(e.pk).evaluator_version)
        ],
        estimated=[
            figures.evaluators.compared_name(e) for e in figures.evaluators if not figures.scored(e).is_bound
        ],
        expected=_expected(figures, indices),
        clusters=figures.clusters,
    )


def _of_judge(figures: Figures) -> str:
    """Whether the primary evaluator is checked against people, if it is a judge."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    return standing.HELD[figures.standings[figures.primary.pk]] if standing.is_judge(version) else ""


def shown(figures: Figures) -> Sequence[int]:
    """The sides that the sentences are about: the ranked sides by index; all sides if at most one is ranked."""
    ranked = figures.primary_family.ranked
    return ranked if len(ranked) > 1 else range(len(figures.sides))


def _expected(figures: Figures, indices: Sequence[int]) -> list[float | None]:
    """For each variant the mean to expect on fresh examples."""
    by_run = {row.side.run.pk: row.shrunken for row in figures.ranking}
    return [by_run.get(figures.sides[index].run.pk) for index in indices]


def _few_groups(figures: Figures, indices: Sequence[int]) -> dict[tuple[int, int], FewGroups]:
    """By numbers of the shown sides, both ways round, the column to tell of a clear difference."""
    numbers = {index: number for number, index in enumerate(indices)}
    told = [pair for pair in figures.primary_family.pairs if pair.few_groups]
    return {
        (numbers[pair.baseline], numbers[pair.side]): pair.few_groups
        for pair in (both for pair in told for both in (pair, pair.mirrored()))
        if pair.few_groups and pair.baseline in numbers and pair.side in numbers
    }


def _helped(figures: Figures, indices: Sequence[int]) -> dict[tuple[int, int], Helped]:
    """By numbers of the shown sides, both ways round, the helped estimates."""
    numbers = {index: number for number, index in enumerate(indices)}
    return {
        (numbers[one], numbers[other]): pair.helped
        for pair in (figures.people.pairs if figures.people else [])
        for one, other in ((pair.baseline, pair.side), (pair.side, pair.baseline))
        if one in numbers and other in numbers
    }


def _subsets(
    figures: Figures, search: Search | None, indices: Sequence[int]
) -> dict[int, list[tuple[Verdict, str]]]:
    """For each variant, the subsets on which its verdict differs from its overall verdict, if they are computed."""
    if search is None:
        return {}
    direction, family = figures.evaluators.direction(figures.primary.pk), figures.primary_family
    overall = {index: family.against(BASELINE, index).comparison for index in indices if index != BASELINE}
    return {
        number: search.exceptions(index, direction, compared.verdict)
        for number, index in enumerate(indices)
        if (compared := overall.get(index))
    }


def _secondary(figures: Figures) -> dict[str, list[Difference | None]]:
    """The comparisons of the shown sides with the baseline, by the name of each other evaluator."""
    indices = shown(figures)
    return {
        figures.evaluators.compared_name(e): _row(figures, e, indices) for e in figures.evaluators.secondary
    }


def _row(figures: Figures, evaluator: Evaluator, indices: Sequence[int]) -> list[Difference | None]:
    """The comparisons of these sides with the baseline."""
    by_run = {entry.run.pk: entry.paired for entry in figures.entries_of(evaluator)}
    return [by_run.get(figures.sides[index].run.pk) for index in indices]
