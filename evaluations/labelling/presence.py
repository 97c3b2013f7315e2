"""Items that nobody can answer any more: their example left the dataset, or a run has another answer by now.

They are not offered, and do not count as open; their labels stay. When they come back, they are offered again.
"""

from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluations.engine import chores
from evaluations.models import LabelItem, LabelTask, OutputCopy, Run, Seat
from evaluations.models.owned import OwnedQuerySet
from evaluations.scoring import records

from . import facts

# the seats that somebody can take, or has taken
OPEN = Q(
    Q(item__other=None) | Q(item__other__deleted_at=None),
    item__is_gone=False,
    item__run__deleted_at=None,
    item__run__experiment__deleted_at=None,
    item__run__experiment__dataset__deleted_at=None,
    is_done=False,
)
DONE = Q(is_done=True)


def shown() -> OwnedQuerySet[LabelTask]:
    """The tasks about runs that are not deleted; they are listed again when these are restored."""
    there = Run.objects.filter(
        label_tasks=OuterRef("pk"),
        deleted_at=None,
        experiment__deleted_at=None,
        experiment__dataset__deleted_at=None,
    )
    return LabelTask.objects.live().filter(Exists(there))


def sweep() -> None:
    """Look at the open tasks whose experiment moved to another version of its dataset. Safe at any time."""
    moved = Run.objects.filter(label_tasks=OuterRef("pk")).exclude(
        experiment__dataset_version=OuterRef("dataset_version")
    )
    stale = shown().filter(Exists(moved), closed_at=None).values_list("pk", flat=True)
    chores.run_each(partial(look_at, pk) for pk in stale)


def look_at(pk: int) -> None:
    """Say of each unfinished item of a task whether somebody can answer it; while answers are copied, the next time."""
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=pk)
        run = task.runs.select_related("experiment").first()
        if run is None or OutputCopy.objects.filter(experiment=run.experiment_id).exists():
            return
        items = LabelItem.objects.filter(task=task, seats__is_done=False).distinct()
        gone = _gone(list(items.only("pk", "run", "example", "answer", "other", "other_answer")))
        LabelItem.objects.filter(task=task, is_gone=True).update(is_gone=False)
        LabelItem.objects.filter(task=task, pk__one_of=gone).update(is_gone=True)
        leave(Seat.objects.filter(item__task=task, item__is_gone=True, is_done=False))
        task.dataset_version = run.experiment.dataset_version
        task.save(update_fields=["dataset_version"])


def leave(seats: QuerySet[Seat]) -> None:
    """Take seats from those who hold them."""
    seats.update(rater=None, lease="", lease_until=None, begun_at=None)


def _gone(items: list[LabelItem]) -> list[int]:
    runs = {item.run_id for item in items} | {item.other_id for item in items if item.other_id}
    now: dict[tuple[int, int], int | None] = {}
    for run in Run.objects.filter(pk__in=runs).select_related("experiment__dataset"):
        examples = {item.example for item in items if run.pk in (item.run_id, item.other_id)}
        answers = records.answered(run, facts.positions(run, sorted(examples)))
        now |= {(run.pk, example): answer for example, answer in answers.values()}
    return [
        item.pk
        for item in items
        if now.get((item.run_id, item.example)) != item.answer
        or (item.other_id and now.get((item.other_id, item.example)) != item.other_answer)
    ]
