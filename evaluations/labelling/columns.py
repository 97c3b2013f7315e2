"""The columns that labels become: the value of each item as a record of the answer, in batches while people rate."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from evaluations.engine import chores
from evaluations.models import EvaluatorVersion, Job, LabelTask, OutputCopy, Record, Run, Scoring
from evaluations.scoring import deciding, records
from evaluations.scoring.records import Kept

from . import facts, sets, stopping
from .facts import Fact

EVERY = timedelta(seconds=30)


def sweep() -> None:
    """Publish tasks whose first unpublished label is older than half a minute. Safe at any time."""
    waiting = LabelTask.objects.filter(changed_at__lt=timezone.now() - EVERY)
    chores.run_each(partial(_published, pk) for pk in waiting.values_list("pk", flat=True))


def _published(pk: int) -> None:
    with transaction.atomic():
        if task := LabelTask.objects.select_for_update().filter(pk=pk).first():
            publish(task)


def publish(task: LabelTask) -> None:
    """Write the items whose value changed into the columns of the runs; the task is locked.

    While a column is being built, or outputs are being copied, the labels wait for the next sweep.
    """
    runs = list(task.runs.filter(deleted_at=None).select_related("experiment__dataset", "project"))
    if _is_busy(task.version, runs):
        return
    deciding.lock(runs)
    for run in runs:
        Run.objects.select_for_update().get(pk=run.pk)
        _write(task.version, run)
    LabelTask.objects.filter(pk=task.pk).update(changed_at=None)
    stopping.look_at(task)


def mark(task: LabelTask) -> None:
    """Say that the columns lack a label of this task: before it is stored, so that they have all that are older."""
    LabelTask.objects.filter(pk=task.pk, changed_at=None).update(changed_at=timezone.now())


def lack_labels(runs: Collection[Run]) -> bool:
    """Whether people gave labels on these runs that the columns do not have yet."""
    newer = LabelTask.objects.filter(runs__in=runs, changed_at__isnull=False)
    return newer.exclude(drawn=LabelTask.Drawn.TRIAL).exists()


def _is_busy(version: EvaluatorVersion, runs: Sequence[Run]) -> bool:
    building = Scoring.objects.filter(run__in=runs, evaluator_version=version, job__state=Job.State.OPEN)
    copying = OutputCopy.objects.filter(experiment__in={run.experiment_id for run in runs})
    return building.exists() or copying.exists()


def _write(version: EvaluatorVersion, run: Run) -> None:
    """Labels of the present answers count, in every task with this version: a run can be in several."""
    kept = {position: _kept(version, given) for position, given in facts.of_run(version, run).items()}
    kept |= dict.fromkeys(_emptied(version, run, kept), Kept(None, None, None, None, None))
    records.keep(run, version, [*kept], [*kept.values()], only_changes=True)


def _emptied(version: EvaluatorVersion, run: Run, kept: Collection[int]) -> list[int]:
    """The positions of present answers with a record all of whose labels were taken back, or deleted."""
    stored = Record.objects.filter(column__in=records.live(run).filter(evaluator_version=version))
    said = stored.order_by("number").values_list("example", "answer", "by")
    last = {example: answer for example, answer, by in said if by is not None}
    left = [position for position in facts.positions(run, list(last)) if position not in kept]
    now = records.answered(run, left)
    return [position for position, (example, answer) in now.items() if last[example] == answer]


def _kept(version: EvaluatorVersion, labels: Sequence[Fact]) -> Kept:
    value, word = facts.decided(sets.config_of(version), labels)
    notes = "; ".join(label.note for label in labels if label.note)
    by = ", ".join(f"Rater {label.number}" for label in labels)
    return Kept(value, word, None, notes or None, by or None)
