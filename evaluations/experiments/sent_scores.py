"""Scores that are sent to a run: stored as records, built into its column, removed, and brought back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evaluations import owned
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.evaluators import sent
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.sent import SentConfig
from evaluations.kinds.sent import sent as sent_kind
from evaluations.kinds.value import NotANumber
from evaluations.models import (
    Evaluator,
    EvaluatorVersion,
    Job,
    OutputCopy,
    RecordColumn,
    Run,
    Scoring,
)
from evaluations.scoring import jobs, records
from evaluations.scoring.records import Kept

from . import matching

MOST = 100_000
LONGEST = {"label": 200, "error": 1_000, "note": 4_000, "by": 200}
SENDABLE = (
    Run.Status.DRAFT,
    Run.Status.COMPLETED,
    Run.Status.CANCELLED,
    Run.Status.QUEUED,
    Run.Status.RUNNING,
)


@dataclass(frozen=True)
class Sent:
    """`scored` examples got a score, error or note, of which `replaced` had one already.

    `left_out` are the columns of a file that were not read.
    """

    version: EvaluatorVersion
    scored: int
    replaced: int
    left_out: Sequence[str] = ()


def send(
    run: Run, user: User | None, name: str, settings: dict[str, Any], scores: Sequence[dict[str, Any]]
) -> Sent:
    """Store a batch of scores by key or position; the last score of an example counts.

    On the first score that is wrong, nothing is stored. A draft gets its column when it is started.
    """
    if len(scores) > MOST:
        message = f"At most {MOST} scores at once."
        raise Invalid("too_many_scores", message, hint="Send them in batches.", fields={"scores": [message]})
    with transaction.atomic():
        _lock(run)
        version = sent.version(run.project, user, name, settings)
        values = _read(version, scores)
        _refuse_open(run, version)
        positions = matching.positions_of(run, scores, "score")
        kept = [
            Kept(value, *(score.get(part) or None for part in LONGEST))
            for value, score in zip(values, scores, strict=True)
        ]
        replaced = records.keep(run, version, positions, kept, user.pk if user else None)
    return Sent(version, len(scores), replaced)


def _lock(run: Run) -> None:
    """Lock the run, whose answers must be stored; raises `Conflict` if they are not."""
    owned.hold(run.experiment)
    run.refresh_from_db(from_queryset=Run.objects.select_for_update())
    if run.status not in SENDABLE:
        raise Conflict(
            "run_not_scorable", f"The run is {run.status}; scores are taken once its answers are complete."
        )
    if run.takes_file:
        raise Conflict(
            "outputs_importing", "The outputs of this run are being read.", hint="Wait for the import to end."
        )
    if OutputCopy.objects.filter(experiment=run.experiment_id).exists():
        raise Conflict(
            "in_use", "Outputs of edited examples are being copied.", hint="Wait until all are copied."
        )


def _refuse_open(run: Run, version: EvaluatorVersion) -> None:
    building = Scoring.objects.filter(run=run, evaluator_version=version, job__state=Job.State.OPEN)
    if building.exists():
        raise Conflict(
            "in_use", "This column of scores is being built.", hint="Try again when the run is complete."
        )


def _read(version: EvaluatorVersion, scores: Sequence[dict[str, Any]]) -> list[float | None]:
    """The number of each score; raises `Invalid` for the first that is wrong."""
    config = Recipe.from_version(version).parsed
    assert isinstance(config, SentConfig)
    values = []
    for number, score in enumerate(scores, 1):
        try:
            _check(score)
            values.append(config.read(score.get("value"), score.get("label")))
        except NotANumber as wrong:
            where = {"score": number, "key": score.get("key"), "position": score.get("position")}
            raise Invalid(
                "not_a_score",
                f"Score {number}: {wrong}",
                hint="Nothing of this batch was stored. Send what could not be scored as an error.",
                where=where,
            ) from wrong
    return values


def _check(score: dict[str, Any]) -> None:
    if score.get("error") and (score.get("value") is not None or score.get("label")):
        raise NotANumber("It has an error and a score; an example has one of the two.")
    for part, longest in LONGEST.items():
        if len(score.get(part) or "") > longest:
            raise NotANumber(f"{part} has more than {longest} characters.")


# ---- removing ------------------------------------------------------------------------------------------------


def remove(run: Run, evaluator: Evaluator) -> None:
    """Remove the scores that were sent for this evaluator; `restore` brings them back within the days of undo."""
    with transaction.atomic():
        _lock(run)
        columns = records.live(run).filter(
            evaluator_version__evaluator=evaluator, evaluator_version__kind=sent_kind.key
        )
        versions = [column.evaluator_version for column in columns.select_related("evaluator_version")]
        if not versions:
            raise NotFound("not_found", f"No scores of {evaluator.name} were sent to this run.")
        for version in versions:
            _refuse_open(run, version)
        columns.update(removed_at=timezone.now())
        records.drop(run, versions)


def restore(run: Run, evaluator: Evaluator) -> None:
    """Bring back the scores that were removed last."""
    with transaction.atomic():
        _lock(run)
        removed = RecordColumn.objects.filter(
            run=run, evaluator_version__evaluator=evaluator, removed_at__isnull=False
        )
        last = removed.order_by("-removed_at").first()
        if last is None:
            raise NotFound("not_found", f"No scores of {evaluator.name} were removed from this run.")
        owned.check_restorable(last.removed_at)
        columns = list(removed.filter(removed_at=last.removed_at).select_related("evaluator_version"))
        versions = [column.evaluator_version for column in columns]
        if records.live(run).filter(evaluator_version__in=versions).exists():
            raise Conflict(
                "scores_exist",
                f"Scores of {evaluator.name} were sent again since.",
                hint="Remove them first; both can be brought back.",
            )
        RecordColumn.objects.filter(pk__in=[column.pk for column in columns]).update(removed_at=None)
        if run.status != Run.Status.DRAFT:
            jobs.open_job(run, versions)
