"""The columns that labels become: the value of each item as a record of the answer, in batches while people rate."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

import numpy as np
from django.db import transaction
from django.utils import timezone

from evaluations.datasets import identities
from evaluations.engine import chores
from evaluations.models import EvaluatorVersion, Job, Label, LabelTask, OutputCopy, Run, Scoring
from evaluations.scoring import coverage, records
from evaluations.scoring.records import Kept

from . import sets

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
    for run in runs:
        Run.objects.select_for_update().get(pk=run.pk)
        _write(task.version, run)
    LabelTask.objects.filter(pk=task.pk).update(changed_at=None)


def _is_busy(version: EvaluatorVersion, runs: Sequence[Run]) -> bool:
    building = Scoring.objects.filter(run__in=runs, evaluator_version=version, job__state=Job.State.OPEN)
    copying = OutputCopy.objects.filter(experiment__in={run.experiment_id for run in runs})
    return building.exists() or copying.exists()


def _write(version: EvaluatorVersion, run: Run) -> None:
    """Labels of the present answers count, in every task with this version: a run can be in several."""
    labels = Label.objects.filter(item__run=run, version=version).select_related("item", "rater")
    by_example: dict[int, list[Label]] = defaultdict(list)
    for label in labels.order_by("pk"):
        by_example[label.item.example].append(label)
    positions = coverage.positions(run).every
    examples = identities.of_version(run.experiment.dataset, run.experiment.dataset_version)
    labelled = positions[np.isin(examples, list(by_example))].tolist()
    now = records.answered(run, labelled)
    kept = {
        position: _kept(version, given)
        for position, (example, answer) in now.items()
        if (given := [label for label in by_example[example] if label.item.answer == answer])
    }
    records.keep(run, version, [*kept], [*kept.values()], only_changes=True)


def _kept(version: EvaluatorVersion, labels: Sequence[Label]) -> Kept:
    """The value of an item: the mean of its raters, or the majority of words; unsure ones do not count."""
    last = {label.rater_id: label for label in labels if label.withdrawn_at is None}.values()
    sure = [label for label in last if label.value is not None]
    notes = "; ".join(label.note for label in last if label.note)
    by = ", ".join(f"Rater {label.rater.number}" for label in last)
    value, answer = _of_raters(version, sure)
    return Kept(value, answer, None, notes or None, by or None)


def _of_raters(version: EvaluatorVersion, sure: Sequence[Label]) -> tuple[float | None, str | None]:
    if not sure:
        return None, None
    if sets.config_of(version).answers == "labels":
        (answer, most), *others = Counter(label.answer for label in sure).most_common()
        if others and others[0][1] == most:
            return None, None  # a tie counts nowhere
        return next(label.value for label in sure if label.answer == answer), answer
    values = [label.value for label in sure if label.value is not None]
    answers = {label.answer for label in sure}
    return sum(values) / len(values), answers.pop() if len(answers) == 1 else None
