"""Tasks: a random sample of examples, whose answers people label. Drawn once, with its seed kept."""

import random
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.models import Evaluator, LabelItem, LabelTask, Run, Seat
from evaluations.numerals import grouped
from evaluations.scoring import coverage, records

from . import columns, sets

MOST_ITEMS = 20_000
MOST_RATERS = 10
MOST_RUNS = 20


@dataclass(frozen=True)
class Plan:
    """`size` examples, drawn with `seed`; `raters` people for each answer, one more for a share `overlap`."""

    size: int
    seed: int
    raters: int = 1
    overlap: float = 0.2


@dataclass(frozen=True)
class Progress:
    """`done` of `total` labels, by `raters` people; `unsure` of them without an answer."""

    done: int
    total: int
    raters: int
    unsure: int


def create(evaluator: Evaluator, user: User | None, runs: Sequence[Run], plan: Plan) -> LabelTask:
    """Draw the sample and store its items; raises `Invalid` if none of its examples is answered."""
    _check(runs, plan)
    positions = datasets.drawn(coverage.asked_positions(runs), plan.size, plan.seed)
    with transaction.atomic():
        task = LabelTask.objects.create(
            project=evaluator.project,
            created_by=user,
            version=sets.newest_of(evaluator),
            size=len(positions),
            seed=plan.seed,
            raters=plan.raters,
            overlap=plan.overlap,
        )
        task.runs.set(runs)
        _fill(task, runs, positions, random.Random(plan.seed))
    return task


def _check(runs: Sequence[Run], plan: Plan) -> None:
    problems = {
        "runs": not 1 <= len(runs) <= MOST_RUNS or len({run.experiment_id for run in runs}) > 1,
        "size": not 1 <= plan.size * len(runs) <= MOST_ITEMS,
        "raters": not 1 <= plan.raters <= MOST_RATERS,
        "overlap": not 0 <= plan.overlap <= 1,
    }
    told = {
        "runs": f"Choose 1 to {MOST_RUNS} runs of one experiment.",
        "size": f"Choose 1 to {grouped(MOST_ITEMS)} answers in all.",
        "raters": f"Choose 1 to {MOST_RATERS} raters.",
        "overlap": "The share of answers that one more person labels is from 0 to 1.",
    }
    if wrong := {name: [told[name]] for name, is_wrong in problems.items() if is_wrong}:
        raise Invalid("invalid_task", next(iter(wrong.values()))[0], fields=wrong)
    for run in runs:
        if run.status not in (Run.Status.COMPLETED, Run.Status.CANCELLED):
            raise Conflict("run_not_scorable", f"{run.variant} is {run.status}; people label complete runs.")


def _fill(task: LabelTask, runs: Sequence[Run], positions: Sequence[int], chance: random.Random) -> None:
    found = [
        (run, example, answer)
        for run in runs
        for example, answer in records.answered(run, positions).values()
        if answer is not None
    ]
    if not found:
        raise Invalid(
            "invalid_task", "None of these examples has an answer.", fields={"runs": ["No answers."]}
        )
    chance.shuffle(found)
    twice = set(chance.sample(range(len(found)), round(task.overlap * len(found))))
    items = LabelItem.objects.bulk_create(
        LabelItem(
            task=task, run=run, example=example, answer=answer, rank=rank, token=secrets.token_urlsafe(16)
        )
        for rank, (run, example, answer) in enumerate(found)
    )
    Seat.objects.bulk_create(_seats(task, items, twice))


def _seats(task: LabelTask, items: Sequence[LabelItem], twice: set[int]) -> Iterator[Seat]:
    for item in items:
        for number in range(task.raters + (item.rank in twice)):
            yield Seat(item=item, number=number)


def progress(task: LabelTask) -> Progress:
    seats = Seat.objects.filter(item__task=task)
    counted = seats.aggregate(done=Count("pk", Q(is_done=True)), total=Count("pk"))
    unsure = task.items.filter(labels__value=None, labels__withdrawn_at=None, labels__isnull=False).count()
    return Progress(counted["done"], counted["total"], task.people.count(), unsure)


def close(task: LabelTask) -> LabelTask:
    """End the task: nobody gets an item any more, and the columns have all labels."""
    with transaction.atomic():
        task.refresh_from_db(from_queryset=LabelTask.objects.select_for_update())
        if task.closed_at is None:
            task.closed_at = timezone.now()
            task.save(update_fields=["closed_at"])
        columns.publish(task)
    return task
