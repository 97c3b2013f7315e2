"""One rater at work: an item at a time, leased; a label and the next item; the last label taken back.

Leases are rows, so that the server decides: a finished seat is refused, and two people at the last free seat never both
get it. What a rater is given says nothing about variant, run, other raters or scores.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from evaluations import leases
from evaluations.errors import Conflict, Invalid
from evaluations.models import Example, Label, LabelItem, LabelTask, Output, Rater, Run, Seat
from evaluations.scoring import records
from evaluations.values import JSON, output_value

from . import columns, presence, raters, sets

LEASE = timedelta(minutes=15)
LOOKED_AT = 50  # free seats tried at once
LONGEST_NOTE = 4_000


@dataclass(frozen=True)
class Shown:
    """What a rater sees of an item: its answer, or those of a pair from left to right; `done` of `total` seats.

    A task that is not blind tells the position and the run, so that scores can be shown.
    """

    item: str
    lease: str
    input: JSON
    expected: JSON
    outputs: list[JSON]
    done: int
    total: int
    position: int
    run: Run


def known_rater(task: LabelTask, user: User) -> Rater | None:
    """The rater that this person is in a task; None before the first item."""
    return Rater.objects.filter(task=task, user=user).select_related("task__version").first()


def rater_of(task: LabelTask, user: User) -> Rater:
    """The rater that this person is in a task; a new one gets the next number."""
    return known_rater(task, user) or raters.added(task, user=user)


# ---- items ---------------------------------------------------------------------------------------------------


def held(rater: Rater) -> Seat | None:
    """The seat that this rater holds, with its lease extended; None if there is none. Reading again takes no other."""
    seat = Seat.objects.filter(rater=rater, is_done=False).select_related("item__run__experiment").first()
    if seat is None:
        return None
    if _current(seat) is None:
        _give_up(seat)
        return held(rater)
    seat.lease_until = _until()
    still_mine = Seat.objects.filter(pk=seat.pk, rater=rater, is_done=False)
    return seat if still_mine.update(lease_until=seat.lease_until) else None


def begin(rater: Rater) -> Seat | None:
    """The held seat, else a free one; None if nothing is left for this rater."""
    if rater.task.closed_at:
        return None
    return held(rater) or _take(rater)


def _take(rater: Rater) -> Seat | None:
    """Take the first free seat. Of several processes one changes the row; the others look on."""
    while candidates := list(_free(rater)[:LOOKED_AT]):
        # the other answer to the example that was labelled last waits, if anything else is free
        ordered = sorted(candidates, key=lambda seat: seat.item.example == rater.last_example)
        for seat in ordered:
            if _current(seat) is None:
                _give_up(seat)
            elif _sit(rater, seat):
                return seat
    return None


def _give_up(seat: Seat) -> None:
    """Offer an item to nobody: its example left the dataset, or has another answer."""
    LabelItem.objects.filter(pk=seat.item_id).update(is_gone=True)
    presence.leave(Seat.objects.filter(pk=seat.pk))


def _current(seat: Seat) -> tuple[Example, list[Output]] | None:
    """The example of an item and its answers; None if the dataset has it no more, or a run another answer."""
    return current(seat.item)


def current(item: LabelItem) -> tuple[Example, list[Output]] | None:
    """The example of an item and its answers, a pair's from left to right; None if one is not there any more."""
    example = _example(item)
    if example is None:
        return None
    outputs = []
    for run, answer in ((item.run_id, item.answer), (item.other_id, item.other_answer)):
        output = Output.objects.filter(run=run, position=example.position).first() if run else None
        if output and records.digest(output.text, output.is_json) == answer:
            outputs.append(output)
    if len(outputs) < (2 if item.other_id else 1):
        return None
    return example, outputs[::-1] if item.is_swapped else outputs


def _example(item: LabelItem) -> Example | None:
    experiment, number = item.run.experiment, item.example
    examples = Example.objects.of_version(experiment.dataset_id, experiment.dataset_version)
    return examples.filter(Q(position=number, origin=None) | Q(origin=number)).first()


def left_for(task: LabelTask, rater: Rater | None) -> int:
    """The answers that this rater could still label, also those that others hold now; each person labels one once."""
    items = LabelItem.objects.filter(
        pk__in=Seat.objects.filter(presence.OPEN, item__task=task).values("item")
    )
    return (
        items.exclude(seats__in=Seat.objects.filter(rater=rater, is_done=True)).count()
        if rater
        else items.count()
    )


def _free(rater: Rater) -> QuerySet[Seat]:
    open_seats = Seat.objects.filter(_is_free(), presence.OPEN, item__task=rater.task_id)
    mine = LabelItem.objects.filter(seats__rater=rater)
    related = open_seats.exclude(item__in=mine).select_related("item__run__experiment")
    return related.order_by("item__rank", "number")


def _is_free() -> Q:
    return Q(is_done=False) & (Q(rater=None) | Q(lease_until__lt=leases.now()))


def _sit(rater: Rater, seat: Seat) -> bool:
    seat.lease, seat.rater = secrets.token_urlsafe(16), rater
    try:
        with transaction.atomic():  # a second seat at one item breaks a constraint
            taken = Seat.objects.filter(_is_free(), pk=seat.pk).update(
                rater=rater, lease=seat.lease, lease_until=_until(), begun_at=leases.now()
            )
    except IntegrityError:
        return False
    return bool(taken)


def _until() -> Any:
    return leases.now() + LEASE


def shown(rater: Rater, seat: Seat) -> Shown:
    """What the rater sees, with the answer as it is now."""
    now = _current(seat)
    assert now is not None  # else nobody is given the seat
    example, outputs = now
    seats = Seat.objects.filter(presence.DONE | presence.OPEN, item__task=rater.task_id)
    return Shown(
        item=seat.item.token,
        lease=seat.lease,
        input=orjson.loads(example.inputs),
        expected={} if rater.task.hides_reference else orjson.loads(example.reference),
        outputs=[output_value(output.text, output.is_json) for output in outputs],
        done=seats.filter(is_done=True).count(),
        total=seats.count(),
        position=example.position,
        run=seat.item.run,
    )


# ---- labels --------------------------------------------------------------------------------------------------


def rate(rater: Rater, item: str, lease: str, answer: str | None, note: str = "") -> Label:
    """Store a label (`answer` None: unsure); raises `Conflict` if the lease is lost."""
    check_note(note)
    value = None if answer is None else number_of(rater.task, answer)
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=rater.task_id)
        seat = Seat.objects.filter(item__task=task, item__token=item, lease=lease, rater=rater).first()
        if task.closed_at or seat is None or not _finish(seat):
            raise Conflict(
                "lease_lost",
                "This item is no longer yours: it was given to somebody else, rated already, or the task has ended.",
                hint="Your label and note were not stored; go on with the next item.",
            )
        if value is not None and seat.item.is_swapped:
            value = 1 - value
        begun = seat.begun_at or leases.now()
        columns.mark(task)
        label = Label.objects.create(
            item_id=seat.item_id,
            rater=rater,
            version=task.version,
            answer=answer or "",
            value=value,
            note=note,
            seconds=max(0.0, (leases.now() - begun).total_seconds()),
        )
        Rater.objects.filter(pk=rater.pk).update(last_example=seat.item.example)
        rater.last_example = seat.item.example
    return label


def _finish(seat: Seat) -> bool:
    unfinished = Seat.objects.filter(pk=seat.pk, lease=seat.lease, is_done=False)
    return bool(unfinished.update(is_done=True, lease_until=None))


def check_note(note: str) -> None:
    """Raise `Invalid` for a note that is too long."""
    if len(note) > LONGEST_NOTE:
        raise Invalid(
            "invalid", "The note is too long.", fields={"note": [f"At most {LONGEST_NOTE} characters."]}
        )


def number_of(task: LabelTask, answer: str) -> float:
    """The number of an answer, of a pair for the answer on the left; raises `Invalid` for one that is none."""
    choices = sets.config_of(task.version).choices
    if answer not in choices:
        message = f"“{answer[:60]}” is no answer; the answers are {', '.join(choices)}."
        raise Invalid("invalid_choice", message, fields={"value": [message]})
    return choices[answer]


def undo(rater: Rater) -> Seat | None:
    """Take back the rater's last label, which stays in the history, and give its item back; None if there is none."""
    with transaction.atomic():
        task = LabelTask.objects.select_for_update().get(pk=rater.task_id)
        standing = rater.labels.filter(withdrawn_at=None, is_adjudicated=False)
        label = standing.order_by("-pk").select_related("item").first()
        if label is None or task.closed_at:
            return None
        Seat.objects.filter(rater=rater, is_done=False).update(
            rater=None, lease="", lease_until=None, begun_at=None
        )
        Label.objects.filter(pk=label.pk).update(withdrawn_at=timezone.now())
        Seat.objects.filter(item=label.item, rater=rater).update(
            is_done=False, lease=secrets.token_urlsafe(16), lease_until=_until(), begun_at=leases.now()
        )
        columns.mark(task)
    return held(rater)
