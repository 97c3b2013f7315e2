"""Answers on which raters differ: one more person decides, and that label counts."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from evaluations.errors import NotFound
from evaluations.models import Evaluator, Label, LabelItem, LabelTask, Rater

from . import columns, raters, rating

SURE = Q(labels__withdrawn_at=None, labels__is_adjudicated=False, labels__value__isnull=False)


def differing(evaluator: Evaluator) -> QuerySet[LabelItem]:
    """The items of a label set on which raters who were sure differ, the newest first."""
    items = LabelItem.objects.filter(
        task__version__evaluator=evaluator,
        task__deleted_at=None,
        run__deleted_at=None,
        run__experiment__deleted_at=None,
    )
    differ = items.annotate(said=Count("labels__value", filter=SURE, distinct=True)).filter(said__gt=1)
    return differ.order_by("-pk")


def undecided(task: LabelTask) -> int:
    """The number of a task's items on which raters differ and nobody decided."""
    return differing(task.version.evaluator).filter(~_is_decided(), task=task).count()


def decisions(evaluator: Evaluator) -> dict[str, bool]:
    """By the token of each item on which raters differ, the newest first: whether somebody decided."""
    found = differing(evaluator).annotate(is_decided=_is_decided())
    return dict(found.values_list("token", "is_decided"))


def _is_decided() -> Exists:
    return Exists(Label.objects.filter(item=OuterRef("pk"), is_adjudicated=True, withdrawn_at=None))


def item_of(evaluator: Evaluator, token: str) -> LabelItem:
    """An item on which raters differ; raises `NotFound` for any other."""
    related = differing(evaluator).select_related("task__version", "run__experiment__dataset", "other")
    item = related.filter(token=token).first()
    if item is None:
        raise NotFound("not_found", "Raters do not differ on such an answer.")
    return item


def decide(item: LabelItem, user: User, answer: str | None, note: str = "") -> Label:
    """Store the label that counts (None: nobody can tell); an earlier decision becomes history."""
    rating.check_note(note)
    value = None if answer is None else rating.number_of(item.task, answer)
    if value is not None and item.is_swapped:
        value = 1 - value
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=item.task_id)
        _withdraw(item)
        label = Label.objects.create(
            item=item,
            rater=_decider(task, user),
            version=task.version,
            answer=answer or "",
            value=value,
            note=note,
            is_adjudicated=True,
        )
        _show(task)
    return label


def undo(item: LabelItem) -> None:
    """Take the decision back; what raters said counts again."""
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=item.task_id)
        if not _withdraw(item):
            raise NotFound("not_found", "Nobody decided about this answer.")
        _show(task)


def _decider(task: LabelTask, user: User) -> Rater:
    return raters.added(task, user=user)


def _withdraw(item: LabelItem) -> int:
    standing = Label.objects.filter(item=item, is_adjudicated=True, withdrawn_at=None)
    return standing.update(withdrawn_at=timezone.now())


def _show(task: LabelTask) -> None:
    columns.mark(task)
    columns.publish(task)
