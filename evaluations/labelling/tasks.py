"""Tasks: a sample of examples, whose answers people label. Drawn once, with its seed kept."""

import random
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from evaluations.datasets.bitmaps import Mask
from evaluations.datasets.live_positions import Positions
from evaluations.errors import Conflict, Invalid
from evaluations.kinds.people import PeopleConfig, Purpose
from evaluations.models import Evaluator, EvaluatorVersion, Label, LabelItem, LabelTask, Run, Seat
from evaluations.numerals import grouped
from evaluations.scoring import records

from . import columns, presence, samples, sets, stopping
from .parts import Part
from .samples import Drawn, Sample

MOST_ITEMS = 20_000
MOST_RATERS = 10
MOST_RUNS = 20
UNEQUAL = (Drawn.EVENLY, Drawn.DIFFERING)
TRIAL = 5  # examples that one rates before people are asked


PURPOSES = {
    "estimate": "This label set is for random samples in which every example has the same chance.",
    "weighted": "This label set is for samples of which some parts are drawn more than others.",
    "reading": "This label set is for reading: its answers are chosen, or raters see scores.",
}
NEEDED = {
    "estimate": "Ask with another one, or with a new one.",
    "weighted": "This sample is weighed by its parts; ask with a new label set.",
    "reading": "Labels of chosen answers, or of people who see scores, are no estimates; ask with a label set for "
    "reading.",
}


@dataclass(frozen=True)
class Plan:
    """`size` examples, drawn with `seed`; `raters` people for each answer, one more for a share `overlap`.

    `positions` are those of chosen examples; a random sample is drawn among these, if there are any, and among examples
    with these values of `metadata`, which `population` says in words. `by` is the metadata column whose values have
    their share of the sample, or equally many examples. `stop` is a rule of `stopping`, by which the task ends itself.
    """

    size: int
    seed: int
    raters: int = 1
    overlap: float = 0.2
    drawn: str = Drawn.RANDOM
    positions: Sequence[int] | None = field(default=None, repr=False)
    metadata: Sequence[tuple[str, str]] = ()
    population: str = ""
    by: str = ""
    is_blind: bool = True
    hides_reference: bool = False
    stop: dict[str, Any] | None = None

    @property
    def is_of_part(self) -> bool:
        return self.positions is not None or bool(self.metadata)

    @property
    def purpose(self) -> Purpose | None:
        """What its labels are for; None for a trial, whose labels never count."""
        if self.drawn == Drawn.TRIAL:
            return None
        if not self.is_blind or self.drawn in (Drawn.CHOSEN, Drawn.DISAGREEMENT):
            return "reading"
        return "weighted" if self.is_of_part or self.drawn in UNEQUAL else "estimate"


@dataclass(frozen=True)
class Progress:
    """`done` of `total` labels, by `raters` people; `unsure` of them without an answer."""

    done: int
    total: int
    raters: int
    unsure: int


def create(evaluator: Evaluator, user: User | None, runs: Sequence[Run], plan: Plan) -> LabelTask:
    """Draw the sample and store its items; raises `Invalid` if none of its examples is answered."""
    version = sets.newest_of(evaluator)
    config = sets.config_of(version)
    _check(runs, plan)
    _check_use(version, config, runs, plan)
    stop = stopping.checked(config, runs, plan.stop)
    sample = _drawn(runs, plan, in_all=config.answers == "pair")
    if not sample.positions:
        raise _invalid("runs", "None of these examples has an answer.")
    with transaction.atomic():
        task = LabelTask.objects.create(
            project=evaluator.project,
            created_by=user,
            version=version,
            size=len(sample.positions),
            seed=plan.seed,
            raters=plan.raters,
            overlap=plan.overlap,
            drawn=plan.drawn,
            by=plan.by,
            population=plan.population,
            parts=sample.parts.told if sample.parts else [],
            part_of=sample.parts.packed() if sample.parts else None,
            is_blind=plan.is_blind,
            hides_reference=plan.hides_reference,
            stop=stop,
            dataset_version=runs[0].experiment.dataset_version,
        )
        task.runs.set(runs)
        chance = random.Random(plan.seed)
        fill = _pairs if config.answers == "pair" else _answers
        items = list(fill(task, runs, sample, chance))
        _store(task, items, chance)
    return task


def _drawn(runs: Sequence[Run], plan: Plan, *, in_all: bool) -> Sample:
    if plan.drawn == Drawn.CHOSEN:
        return samples.chosen(runs, plan.positions or ())
    if plan.drawn == Drawn.DISAGREEMENT:
        return samples.disagreements(runs, plan.size, plan.seed)
    every = samples.answered(runs, in_all=in_all)
    inside = samples.within(runs[0], every, plan.positions, plan.metadata)
    candidates = Positions.from_array(every.every[inside])
    if plan.purpose == "weighted" and len(candidates):
        return _in_parts(runs, plan, every, inside)
    if plan.drawn == Drawn.GROUPS:
        dataset = runs[0].experiment.dataset
        return samples.spread(dataset, candidates, plan.by, plan.size, plan.seed)
    sample = samples.random(candidates, plan.size, plan.seed)
    return replace(sample, probability=None) if plan.drawn == Drawn.TRIAL else sample


def _in_parts(runs: Sequence[Run], plan: Plan, every: Positions, inside: Mask) -> Sample:
    """A sample of the answered examples inside; those outside are a part of which none is drawn."""
    candidates, dataset = Positions.from_array(every.every[inside]), runs[0].experiment.dataset
    total = len(candidates)
    codes = np.zeros(total, np.int64)
    named = [Part(plan.population or "those drawn from", total, min(plan.size, total))]
    if plan.drawn == Drawn.EVENLY:
        codes, named = samples.evenly(dataset, candidates, plan.by, plan.size)
    elif plan.drawn == Drawn.DIFFERING:
        codes, named = samples.differing(runs, candidates, plan.size)
    placed = np.full(len(every), len(named), np.int64)
    placed[inside] = codes
    named = [*named, Part("the others", len(every) - total, 0)]
    examples = samples.identities_of(runs[0], every)
    sample = samples.in_parts(examples, every, placed, named, plan.seed)
    if plan.drawn != Drawn.GROUPS:
        return sample
    shared = samples.spread(dataset, candidates, plan.by, plan.size, plan.seed)
    return replace(sample, positions=shared.positions)


def _invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_task", message, fields={field: [message]})


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


def _check_use(version: EvaluatorVersion, config: PeopleConfig, runs: Sequence[Run], plan: Plan) -> None:
    """Labels of samples that are weighed otherwise never share a column."""
    if plan.purpose not in (None, config.purpose):
        raise _invalid("label_set", f"{PURPOSES[config.purpose]} {NEEDED[plan.purpose or 'estimate']}")
    if config.answers != "pair":
        return
    if plan.purpose == "weighted":
        raise _invalid("drawn", "Pairs are drawn with equal chances, so that each counts alike.")
    if len(runs) != 2:
        raise _invalid("runs", "A pair has two variants: choose two runs.")
    asked = Run.objects.filter(label_tasks__version=version, experiment=runs[0].experiment_id)
    if {*asked.values_list("pk", flat=True)} - {run.pk for run in runs}:
        raise _invalid("label_set", "This label set is about another pair of runs; make one for each pair.")


def _answers(
    task: LabelTask, runs: Sequence[Run], sample: Sample, chance: random.Random
) -> Iterator[LabelItem]:
    """An item for each answer, in random order; those of a reading list in its order."""
    found = [
        (place[position], run, example, answer)
        for place in [{position: place for place, position in enumerate(sample.positions)}]
        for run in runs
        for position, (example, answer) in records.answered(run, sample.positions).items()
        if answer is not None
    ]
    chance.shuffle(found)
    if task.drawn in (Drawn.CHOSEN, Drawn.DISAGREEMENT):
        found.sort(key=itemgetter(0))
    for rank, (_, run, example, answer) in enumerate(found):
        yield _item(task, rank, sample, run=run, example=example, answer=answer)


def _pairs(
    task: LabelTask, runs: Sequence[Run], sample: Sample, chance: random.Random
) -> Iterator[LabelItem]:
    """An item for each example, in random order, with its sides drawn."""
    first, second = runs
    theirs = records.answered(second, sample.positions)
    found = [
        (example, answer, theirs[position].answer)
        for position, (example, answer) in records.answered(first, sample.positions).items()
        if answer is not None
    ]
    chance.shuffle(found)
    for rank, (example, answer, other_answer) in enumerate(found):
        yield _item(
            task,
            rank,
            sample,
            run=first,
            example=example,
            answer=answer,
            other=second,
            other_answer=other_answer,
            is_swapped=chance.random() < 0.5,
        )


def _item(task: LabelTask, rank: int, sample: Sample, **about: Any) -> LabelItem:
    token = secrets.token_urlsafe(16)
    chance = sample.parts.chances[about["example"]] if sample.parts else sample.probability
    return LabelItem(task=task, rank=rank, token=token, probability=chance, **about)


def _store(task: LabelTask, items: Sequence[LabelItem], chance: random.Random) -> None:
    twice = set(chance.sample(range(len(items)), round(task.overlap * len(items))))
    Seat.objects.bulk_create(_seats(task, LabelItem.objects.bulk_create(items), twice))


def _seats(task: LabelTask, items: Sequence[LabelItem], twice: set[int]) -> Iterator[Seat]:
    for item in items:
        for number in range(task.raters + (item.rank in twice)):
            yield Seat(item=item, number=number)


def progress(task: LabelTask) -> Progress:
    seats = Seat.objects.filter(presence.DONE | presence.OPEN, item__task=task)
    labels = Label.objects.filter(item__task=task, withdrawn_at=None)
    unsure, raters = labels.filter(value=None).count(), labels.values("rater").distinct().count()
    counted = seats.aggregate(done=Count("pk", presence.DONE), total=Count("pk"))
    done, total = counted["done"], counted["total"]
    if task.drawn == Drawn.SENT:
        done = total = labels.count()
    return Progress(done, total, raters, unsure)


def by_item(task: LabelTask) -> list[int]:
    """How many people labelled each item; before the first label how many are to."""
    labels = Label.objects.filter(item__task=task, withdrawn_at=None, is_adjudicated=False)
    seats = Seat.objects.filter(presence.DONE | presence.OPEN, item__task=task)
    found: QuerySet[Label] | QuerySet[Seat] = labels if labels.exists() else seats
    return [count for _, count in found.order_by().values_list("item").annotate(count=Count("pk"))]


def close(task: LabelTask) -> LabelTask:
    """End the task: nobody gets an item any more, and the columns have all labels."""
    with transaction.atomic():
        task.refresh_from_db(from_queryset=LabelTask.objects.select_for_update())
        if task.closed_at is None:
            task.closed_at = timezone.now()
            task.save(update_fields=["closed_at"])
        columns.publish(task)
    return task
