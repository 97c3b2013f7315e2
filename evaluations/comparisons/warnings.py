"""Like with like: every way in which compared runs are not alike, in sentences."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from evaluations.evaluators.versions import differences
from evaluations.models import Evaluator, EvaluatorVersion, Run, Scoring
from evaluations.numerals import grouped, plural


@dataclass(frozen=True)
class Scored:
    """One of the compared runs: how it is called, and its scorings by evaluator id."""

    run: Run
    name: str
    scorings: dict[int, Scoring]


def warnings(
    scored: Sequence[Scored], evaluators: Iterable[Evaluator], averaged: bool
) -> list[dict[str, Any]]:
    """Runs still going on, dataset versions, evaluators, then outputs that are missing."""
    return [
        *_unfinished(scored),
        *_dataset_versions(scored),
        *(warning for evaluator in evaluators for warning in _evaluator(scored, evaluator)),
        *_missing(scored, averaged),
    ]


def _unfinished(scored: Sequence[Scored]) -> Iterator[dict[str, Any]]:
    if going := [one.name for one in scored if one.run.status in Run.OPEN]:
        verb = "is" if len(going) == 1 else "are"
        yield _warning("unfinished", f"Figures so far: {', '.join(going)} {verb} still being scored.")


def _dataset_versions(scored: Sequence[Scored]) -> Iterator[dict[str, Any]]:
    by_version: dict[int, list[str]] = {}
    for one in scored:
        by_version.setdefault(one.run.experiment.dataset_version, []).append(one.name)
    if len(by_version) > 1:
        name = scored[0].run.experiment.dataset.name
        used = "; ".join(f"{', '.join(names)} v{number}" for number, names in sorted(by_version.items()))
        yield _warning(
            "dataset_versions", f"Versions of {name} differ: {used}. Only examples they share are compared."
        )


def _evaluator(scored: Sequence[Scored], evaluator: Evaluator) -> Iterator[dict[str, Any]]:
    by_version: dict[EvaluatorVersion, list[str]] = {}
    lacking = []
    for one in scored:
        scoring = one.scorings.get(evaluator.pk)
        if scoring is None:
            lacking.append(one.name)
        else:
            by_version.setdefault(scoring.evaluator_version, []).append(one.name)
    if len(by_version) > 1:
        yield _warning("evaluator_versions", _versions(evaluator, by_version))
    if lacking:
        yield _warning("not_scored", f"{', '.join(lacking)} was not scored by {evaluator.name}.")


def _versions(evaluator: Evaluator, by_version: dict[EvaluatorVersion, list[str]]) -> str:
    """Who was scored with which version, and what each differs in from the one before."""
    ordered = sorted(by_version, key=lambda version: version.number)
    used = "; ".join(f"{', '.join(by_version[version])} with v{version.number}" for version in ordered)
    changed = [str(setting) for old, new in pairwise(ordered) for setting in differences(old, new)]
    said = f" ({'; '.join(changed)})" if changed else ""
    return f"{evaluator.name} has several versions here: {used}{said}."


def _missing(scored: Sequence[Scored], averaged: bool) -> Iterator[dict[str, Any]]:
    alike: dict[tuple[int, str], list[str]] = {}
    for one in scored:
        summaries = [scoring.summary for scoring in one.scorings.values() if scoring.summary]
        lacking = [summary for summary in summaries if summary["counts"]["missing_actual"]]
        if lacking:
            n = max(summary["counts"]["missing_actual"] for summary in lacking)
            alike.setdefault((n, _treatment(lacking, averaged)), []).append(one.name)
    total = plural(scored[0].run.experiment.dataset.example_count, "example")
    for (n, treatment), names in sorted(alike.items()):
        yield _warning(
            "missing_outputs",
            f"{grouped(n)} of {total} lack an output in {', '.join(names)} and {treatment}.",
        )


def _treatment(lacking: Sequence[dict[str, Any]], averaged: bool) -> str:
    """What becomes of missing outputs: some evaluators score them, most do not."""
    counted = {summary["n"] > summary["counts"]["scored"] for summary in lacking}
    if counted == {True}:
        return "get the score of a missing output"
    if averaged:
        return "count in the other runs of the variant only"
    return "are left out where they have no score" if True in counted else "are left out"


def _warning(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}
