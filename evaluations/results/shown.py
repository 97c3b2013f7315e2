"""The scorings that a run shows: by the newest version of each evaluator, unless another is chosen."""

from collections.abc import Iterable, Sequence

from django.db.models import QuerySet

from evaluations.errors import Invalid, NotFound
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.models import EvaluatorVersion, Run, Scoring

MANY = 10  # runs from which on versions are read by themselves


def scorings_of(run: Run) -> list[Scoring]:
    """The scorings a run shows, by the newest version of each evaluator, in the order of their first scorings."""
    return scorings_by_run([run])[run.pk]


def scorings_by_run(runs: Sequence[Run]) -> dict[int, list[Scoring]]:
    """The shown scorings of each run by its id; one query, or two for many runs."""
    by_run: dict[int, list[Scoring]] = {run.pk: [] for run in runs}
    scorings = Scoring.objects.filter(run__in=runs)
    for scoring in _with_evaluators(scorings) if len(runs) < MANY else _sharing_versions(scorings):
        by_run[scoring.run_id].append(scoring)
    return {pk: newest_of(scorings) for pk, scorings in by_run.items()}


def all_scorings_of(run: Run) -> list[Scoring]:
    """The scorings of a run by all versions of its evaluators."""
    return list(_with_evaluators(Scoring.objects.filter(run=run)))


def _with_evaluators(scorings: QuerySet[Scoring]) -> QuerySet[Scoring]:
    return scorings.select_related("evaluator_version__evaluator").order_by("pk")


def _sharing_versions(scorings: QuerySet[Scoring]) -> list[Scoring]:
    """Scorings of one version share it: to build an equal copy of it for each takes longer than a query."""
    read = list(scorings.order_by("pk"))
    numbers = {scoring.evaluator_version_id for scoring in read}
    versions = EvaluatorVersion.objects.select_related("evaluator").in_bulk(numbers)
    for scoring in read:
        scoring.evaluator_version = versions[scoring.evaluator_version_id]
    return read


def newest_of(scorings: Iterable[Scoring]) -> list[Scoring]:
    """The scoring by the newest version of each evaluator, in the order of the evaluators' first scorings."""
    newest: dict[int, Scoring] = {}
    for scoring in scorings:
        evaluator = scoring.evaluator_version.evaluator_id
        older = newest.get(evaluator)
        if older is None or older.evaluator_version.number < scoring.evaluator_version.number:
            newest[evaluator] = scoring  # replaces the scoring by an older version
    return list(newest.values())


def primary_first(run: Run, scorings: Iterable[Scoring]) -> list[Scoring]:
    """The evaluator that decides leads, as on the page of the experiment."""
    primary = run.experiment.primary_id
    return sorted(scorings, key=lambda scoring: scoring.evaluator_version.evaluator_id != primary)


def named(scorings: Sequence[Scoring], id_or_name: str) -> Scoring:
    """The scoring by the evaluator with this id or name, for "" the first; raises `Invalid`."""
    by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in scorings}
    evaluator = by_id_or_name(by_evaluator, id_or_name) if id_or_name else next(iter(by_evaluator), None)
    if evaluator is None:
        names = ", ".join(one.name for one in by_evaluator) or "none"
        message = f"The run has no scores by “{id_or_name[:200]}”; it has: {names}."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})
    return by_evaluator[evaluator]


def at_version(run: Run, scorings: Sequence[Scoring], newest: Scoring, number: int) -> list[Scoring]:
    """The scorings, with one replaced by that of another version; raises `NotFound` if the run has none."""
    versions = Scoring.objects.filter(
        run=run,
        evaluator_version__evaluator=newest.evaluator_version.evaluator_id,
        evaluator_version__number=number,
    )
    replacement = versions.select_related("evaluator_version__evaluator").first()
    if replacement is None:
        message = f"The run has no scores by version {number} of this evaluator."
        raise NotFound("not_found", message, fields={"version": [message]})
    return [replacement if scoring.pk == newest.pk else scoring for scoring in scorings]
