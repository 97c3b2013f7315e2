"""Warnings about a comparison: how the runs differ, and which examples do not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypedDict

from evaluations.evaluators import whole_references
from evaluations.evaluators.versions import differences
from evaluations.experiments import asked
from evaluations.models import Evaluator, EvaluatorVersion, Run
from evaluations.numerals import grouped, plural
from evaluations.short_texts import ended
from evaluations.statistics.wording import names, text

from . import structured
from .alignment.aligned import Tally
from .alignment.sides import Side
from .figures import sequences
from .figures.evaluators import is_replaced
from .figures.figures import Figures

ABOUT_INTERVALS = (
    "few_clusters",
    "few_groups",
    "stopped_early",
)  # codes that are not about differences between the runs
WHOLE_REFERENCE = "whole_reference"  # for evaluators that compare with several reference columns at once
ADDED = "added_examples"  # for examples that a newer dataset version added
STRUCTURED = "structured_values"  # for text evaluators that compare lists or objects
ON_TEXTS = (WHOLE_REFERENCE, STRUCTURED)  # about what evaluators compare
OF_ONE_EVALUATOR = ("missing_references", "missing_scores", "evaluator_errors")
NAMED = 10  # left-out examples that a warning names


class Warning(TypedDict):
    """A code of docs/api.md, and the sentence for people."""

    code: str
    message: str


def collect(figures: Figures) -> list[Warning]:
    """All warnings: unfinished runs, dataset versions, evaluators, clusters, then examples without a score."""
    return [
        *_unfinished(figures),
        *_dataset_versions(figures),
        *_added_examples(figures),
        *_other_datasets(figures),
        *_primary(figures),
        *_whole_references(figures),
        *(warning for evaluator in figures.evaluators for warning in _evaluator(figures, evaluator)),
        *_not_scored(figures),
        *_unranked(figures),
        *_clusters(figures),
        *_few_groups(figures),
        *_stopped(figures),
        *_unanswered(figures),
        *(warning for evaluator in figures.evaluators for warning in _without_reference(figures, evaluator)),
        *(warning for evaluator in figures.evaluators for warning in _failed(figures, evaluator)),
    ]


def besides_notes(figures: Figures, found: Sequence[Warning]) -> list[Warning]:
    """Those that no line below the verdict says: these tell of unanswered examples and of clusters themselves."""
    said = ("missing_outputs", *ABOUT_INTERVALS) if figures.sides.others else ()
    return [warning for warning in found if warning["code"] not in said]


def is_aside(figures: Figures, warning: Warning) -> bool:
    """Whether it is about secondary evaluators alone, on which the verdict does not rest."""
    primary = figures.evaluators.primary
    if primary is None or not figures.sides.others:
        return False
    return warning["code"] in (*ON_TEXTS, *OF_ONE_EVALUATOR) and primary.name not in warning["message"]


def _unfinished(figures: Figures) -> Iterator[Warning]:
    if going := [figures.sides.label(run) for run in figures.sides.runs if run.status in Run.OPEN]:
        verb = "is" if len(going) == 1 else "are"
        yield _warning("unfinished", f"{', '.join(going)} {verb} still being scored.")


def _dataset_versions(figures: Figures) -> Iterator[Warning]:
    by_version: dict[int, list[str]] = {}
    for run in figures.sides.runs:
        if run.experiment.dataset_id == figures.sides.dataset.pk:
            by_version.setdefault(run.experiment.dataset_version, []).append(figures.sides.label(run))
    if len(by_version) > 1:
        used = "; ".join(f"{', '.join(labels)} v{number}" for number, labels in sorted(by_version.items()))
        message = (
            f"Versions of {figures.sides.dataset.name} differ: {used}. Only shared examples are compared."
        )
        if edited := figures.aligner.edited:
            message += f" {edited} of them {'was' if edited == 1 else 'were'} edited in between."
        yield _warning("dataset_versions", message)


def _added_examples(figures: Figures) -> Iterator[Warning]:
    """Examples that a newer dataset version added, and that runs were not asked."""
    for group in asked.unasked(figures.sides.runs):
        is_all = len(group.runs) == len(figures.sides.runs)
        labels = [figures.sides.label(run) for run in group.runs]
        yield _warning(ADDED, group.sentence(labels, is_all=is_all))


def _other_datasets(figures: Figures) -> Iterator[Warning]:
    """How examples of other datasets were matched, and how many were left out."""
    experiment = figures.sides.experiment
    here = f"{figures.sides.dataset.name} v{experiment.dataset_version}"
    for (dataset, number), matched in figures.aligner.matched_datasets.items():
        by_key = f"{grouped(matched.by_key)} by key"
        if matched.changed:
            by_key += f" ({grouped(matched.changed)} of them with other contents)"
        message = (
            f"{dataset.name} v{number} and {here} are different datasets. Of {plural(matched.examples, 'example')}"
            f" of {here}, {by_key} and {grouped(matched.by_contents)} by contents match examples of the other."
        )
        if matched.left_out:
            message += f" {grouped(matched.left_out)} {'is' if matched.left_out == 1 else 'are'} excluded."
        if len(matched.ambiguous):
            message += f" {_ambiguous(matched.ambiguous.tolist())}"
        yield _warning("other_datasets", message)


def _ambiguous(positions: Sequence[int]) -> str:
    listed = ", ".join(map(str, positions[:NAMED])) + (", …" if len(positions) > NAMED else "")
    if len(positions) == 1:
        return f"Among them is example {listed}, and several examples have its contents."
    return f"Among them are {grouped(len(positions))} with contents that several examples have: {listed}."


def _primary(figures: Figures) -> Iterator[Warning]:
    if is_replaced(figures.sides.experiment, figures.evaluators.primary):
        stored, used = figures.sides.experiment.primary, figures.evaluators.primary
        assert stored is not None  # else nothing is replaced
        reason = "is deleted" if stored.deleted_at else "did not score all runs"
        message = f"The primary evaluator {stored.name} {reason}; {used and used.name} is used instead."
        yield _warning("primary_replaced", message)


def _whole_references(figures: Figures) -> Iterator[Warning]:
    used = {version for versions in figures.sides.versions.values() for version in versions.values()}
    versions = sorted(used, key=lambda version: version.pk)
    for sentence in whole_references.warnings(versions, figures.sides.dataset.columns.get("reference", [])):
        yield _warning(WHOLE_REFERENCE, sentence)
    for sentence in structured.warnings(figures, versions):
        yield _warning(STRUCTURED, sentence)


def _evaluator(figures: Figures, evaluator: Evaluator) -> Iterator[Warning]:
    by_version: dict[EvaluatorVersion, list[str]] = {}
    for run, versions in figures.sides.versions.items():
        if used := versions.get(evaluator.pk):
            by_version.setdefault(used, []).append(figures.sides.label(run))
    if len(by_version) > 1:
        yield _warning("evaluator_versions", _versions(evaluator, by_version))


def _not_scored(figures: Figures) -> Iterator[Warning]:
    """Runs without scores by some evaluators; runs that lack the same ones share a sentence."""
    runs_by_missing: dict[tuple[str, ...], list[str]] = {}
    for run, versions in figures.sides.versions.items():
        if missing_names := tuple(e.name for e in figures.evaluators if e.pk not in versions):
            runs_by_missing.setdefault(missing_names, []).append(figures.sides.label(run))
    for missing_names, runs in runs_by_missing.items():
        verb = "lacks" if len(runs) == 1 else "lack"
        said = f"{text(names(runs))} {verb} scores of {text(names(missing_names))}"
        yield _warning("not_scored", ended(said))


def _versions(evaluator: Evaluator, by_version: dict[EvaluatorVersion, list[str]]) -> str:
    """Which version scored which runs, and what each version changed in the previous one."""
    ordered = sorted(by_version, key=lambda version: version.number)
    used = "; ".join(f"{', '.join(by_version[version])} with v{version.number}" for version in ordered)
    changed = [str(setting) for old, new in pairwise(ordered) for setting in differences(old, new)]
    settings = f" ({'; '.join(changed)})" if changed else ""
    message = f"Different versions of {evaluator.name} scored these runs: {used}{settings}."
    return f"{message} There is no verdict between versions."


def _unranked(figures: Figures) -> Iterator[Warning]:
    """Variants without a score by the primary evaluator; those still being scored have their own warning."""
    silent = [side for side in figures.unranked if side.run.status not in Run.OPEN]
    if figures.evaluators.primary and figures.sides.others and silent:
        labels = ", ".join(figures.sides.label(side.run) for side in silent)
        verbs = ("has", "is") if len(silent) == 1 else ("have", "are")
        message = (
            f"{labels} {verbs[0]} no score by {figures.evaluators.primary.name} and {verbs[1]} not ranked."
        )
        mute = [side for side in silent if _is_mute(figures, side)]
        answered = dict(zip(map(id, figures.sides), figures.measures.answered, strict=True)) if mute else {}
        for said in (True, False):
            if labelled := [figures.sides.label(s.run) for s in mute if bool(answered[id(s)]) == said]:
                what = "gave no answer that this evaluator can read" if said else "answered no example"
                message += f" {text(names(labelled))} {what}, the worst possible result."
        yield _warning("not_ranked", message)


def _is_mute(figures: Figures, side: Side) -> bool:
    """Whether a side has no score because it answered none of the examples that it was asked."""
    tally = figures.scored(figures.primary).tallies[figures.sides.every.index(side)]
    return tally is not None and 0 < tally.unanswered == tally.examples


def _clusters(figures: Figures) -> Iterator[Warning]:
    clusters = figures.clusters
    if clusters and clusters.is_few:
        number = plural(clusters.count, "value")
        message = f"{clusters.column} has only {number} here: with fewer than 10 groups, intervals can be too narrow."
        yield _warning("few_clusters", message)


def _few_groups(figures: Figures) -> Iterator[Warning]:
    """Columns of few values under which a clear difference from the baseline would not survive."""
    by_column: dict[str, list[str]] = {}
    for pair in figures.primary_family.pairs if figures.evaluators.primary and not figures.no_ranking else []:
        if pair.few_groups and pair.baseline == 0:
            label = figures.sides.label(figures.sides[pair.side].run)
            by_column.setdefault(pair.few_groups.column, []).append(label)
    for column, labels in by_column.items():
        start = (
            f"The verdict holds for the few values of {column} seen here; for other values there is no clear"
        )
        yield _warning(
            "few_groups", f"{start} difference yet between the baseline and {text(names(labels))}."
        )


def _stopped(figures: Figures) -> Iterator[Warning]:
    if told := sequences.told(figures.sides, figures.stops):
        yield _warning("stopped_early", text(told))


def _unanswered(figures: Figures) -> Iterator[Warning]:
    """Unanswered examples of each variant, as counted by the evaluator that misses most of them."""
    counts = _most_affected(figures, lambda tally: tally.unanswered)
    if not counts:
        return
    treatment = "count as worst" if figures.aligner.missing == "worst" else "are excluded"
    estimate = _estimate(figures)
    listed = ", ".join(f"{figures.sides.label(side.run)}: {grouped(count)}" for side, count in counts)
    what = "unanswered or unreadable" if any(figures.measures.unread) else "unanswered"
    message = f"Of {_counted(figures)}, some are {what} ({listed}); they {treatment}{estimate}."
    yield _warning("missing_outputs", message)


def _counted(figures: Figures) -> str:
    """The number of examples that count: those that an evaluator scored, or would have scored if they were answered."""
    tallies = [tally for e in figures.evaluators for tally in figures.scored(e).tallies if tally]
    count = max(tally.scored + tally.unanswered for tally in tallies)
    return plural(count, "example") + (" that count" if count < figures.size else "")


def _estimate(figures: Figures) -> str:
    """A warning for an evaluator whose scale has no worst end."""
    unbound = [e.name for e in figures.evaluators if not figures.scored(e).is_bound]
    if not unbound:
        return ""
    have = "has" if len(unbound) == 1 else "have"
    return f"; on {', '.join(unbound)}, which {have} no worst score, as at least as bad as the worst answer"


def _without_reference(figures: Figures, evaluator: Evaluator) -> Iterator[Warning]:
    """Examples without a reference that the evaluator can use, or without the outside score."""
    code, lack = "missing_references", "no usable reference"
    if figures.evaluators.is_outside(evaluator.pk):
        code, lack = "missing_scores", "no score"
    if count := figures.scored(evaluator).without_reference:
        verbs = ("has", "is") if count == 1 else ("have", "are")
        message = f"{_of_all(figures, evaluator, count)} {verbs[0]} {lack} and {verbs[1]} excluded"
        yield _warning(code, f"{evaluator.name}: {message}{_from(figures, evaluator)}.")


def _failed(figures: Figures, evaluator: Evaluator) -> Iterator[Warning]:
    """Examples that the evaluator could not score."""
    if (count := figures.scored(evaluator).failed) and figures.evaluators.is_of_people(evaluator.pk):
        every = _examples(figures, evaluator)
        of_all = f"{grouped(every - count)} of {plural(every, 'example')}"
        # a set of labels that is called "people" says who labelled
        said = f"People labelled {of_all}"
        scored = (
            said
            if evaluator.name.casefold() == "people"
            else f"{evaluator.name}: {said[0].lower()}{said[1:]}"
        )
        message = f"{scored}; the others are excluded{_from(figures, evaluator)}."
        yield _warning("evaluator_errors", message)
    elif count:
        verbs = ("has", "is") if count == 1 else ("have", "are")
        # what judges or programs left out need not be a fault
        lack = (
            f"{verbs[0]} no score" if figures.evaluators.is_outside(evaluator.pk) else "could not be scored"
        )
        message = f"{_of_all(figures, evaluator, count)} {lack} and {verbs[1]} excluded"
        yield _warning("evaluator_errors", f"{evaluator.name}: {message}{_from(figures, evaluator)}.")


def _of_all(figures: Figures, evaluator: Evaluator, count: int) -> str:
    """Such as "3 of 805 examples": those that any compared variant lacks, of all."""
    return f"{grouped(count)} of {plural(_examples(figures, evaluator), 'example')}"


def _examples(figures: Figures, evaluator: Evaluator) -> int:
    return max(tally.examples for tally in figures.scored(evaluator).tallies if tally)


def _from(figures: Figures, evaluator: Evaluator) -> str:
    """On other evaluators than the primary one, only the pairs that lack the score are left out."""
    return " from all variants" if evaluator == figures.evaluators.primary else " from its own figures"


def _most_affected(figures: Figures, count: Callable[[Tally], int]) -> list[tuple[Side, int]]:
    """For every side that has any, the largest count over all evaluators."""
    counts: dict[int, int] = {}
    for evaluator in figures.evaluators:
        for index, tally in enumerate(figures.scored(evaluator).tallies):
            counts[index] = max(counts.get(index, 0), count(tally) if tally else 0)
    return [(figures.sides[index], count) for index, count in sorted(counts.items()) if count]


def _warning(code: str, message: str) -> Warning:
    return Warning(code=code, message=message)
