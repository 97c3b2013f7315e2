"""Experiments whose answers people labelled, beside a judge that is right in a known share."""

from dataclasses import dataclass

import numpy as np
from django.db import transaction

from evaluations.evaluators import sent
from evaluations.labelling import columns, sets, tasks
from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Label, LabelItem, LabelTask, Run, Seat
from evaluations.scoring import records
from evaluations.scoring.records import Kept
from tests import factories


@dataclass
class Stock:
    """`truth` and `verdicts` are 0 and 1 for each variant and example."""

    experiment: Experiment
    label_set: Evaluator
    judge: EvaluatorVersion
    task: LabelTask
    truth: np.ndarray
    verdicts: np.ndarray

    @property
    def runs(self) -> list[Run]:
        return list(self.experiment.runs.order_by("pk"))


def labelled(
    project,
    user,
    *,
    examples=120,
    labels=80,
    rates=(0.5, 0.7),
    right=0.9,
    agree=0.9,
    overlap=0.2,
    seed=5,
):
    """Two variants of `examples` answers, `labels` of them labelled; exact match says what people's truth is not."""
    chance = np.random.default_rng(seed)
    truth = (chance.random((len(rates), examples)) < np.array(rates)[:, None]).astype(float)
    verdicts = np.where(chance.random(truth.shape) < right, truth, 1 - truth)
    experiment = factories.experiment(project, references=[f"answer {n}" for n in range(examples)])
    for k, row in enumerate(truth):
        texts = [
            f"answer {n}" if one and n % 2 else f"other {n} {'long ' * (n % 5)}" for n, one in enumerate(row)
        ]
        factories.scored_run(experiment, texts, f"v{k + 1}")
    label_set = sets.create(
        project, user, "good answer", {"question": "Is the answer good?", "guideline": "Facts."}
    )
    runs = list(experiment.runs.order_by("pk"))
    task = tasks.create(label_set, user, runs, tasks.Plan(size=labels, seed=seed, overlap=overlap))
    _rate(task, runs, truth, chance, agree)
    judge = sent.version(project, user, "judge", {"minimum": 0.0, "maximum": 1.0, "threshold": 0.5})
    for run, row in zip(runs, verdicts, strict=True):
        send(run, judge, row)
    return Stock(experiment, label_set, judge, task, truth, verdicts)


def graded(project, user, *, examples=300, labels=160, better=0.4, noise=0.6, seed=5):
    """Two variants graded from 1 to 5; the judge's grades follow people's with `noise`, half a grade generous."""
    chance = np.random.default_rng(seed)
    latent = 3.2 + chance.standard_normal(examples) + chance.standard_normal((2, examples)) * 0.5
    latent[1] += better
    truth = np.clip(np.round(latent), 1, 5)
    verdicts = np.clip(np.round(latent + 0.5 + noise * chance.standard_normal(latent.shape)), 1, 5)
    experiment = factories.experiment(project, references=[f"answer {n}" for n in range(examples)])
    for k in range(2):
        factories.scored_run(experiment, [f"other {n}" for n in range(examples)], f"v{k + 1}")
    config = {"question": "How good is it?", "answers": "scale", "minimum": 1, "maximum": 5}
    label_set = sets.create(project, user, "grade", config)
    runs = list(experiment.runs.order_by("pk"))
    task = tasks.create(label_set, user, runs, tasks.Plan(size=labels, seed=seed, overlap=0))
    _rate(task, runs, truth, chance, 1, lambda value: str(int(value)))
    judge = sent.version(project, user, "judge", {"minimum": 1.0, "maximum": 5.0})
    for run, row in zip(runs, verdicts, strict=True):
        send(run, judge, row)
    return Stock(experiment, label_set, judge, task, truth, verdicts)


def _pass_or_fail(value):
    return "pass" if value else "fail"


def _rate(task, runs, truth, chance, agree, name=_pass_or_fail):
    """The first rater says the truth, a second one of the same item agrees with it in `agree` of the cases."""
    raters = [factories.rater(task, number) for number in (1, 2)]
    index = {run.pk: k for k, run in enumerate(runs)}
    seats: dict[LabelItem, list[Seat]] = {}
    for seat in (
        Seat.objects.filter(item__task=task)
        .select_related("item")
        .order_by("item__run_id", "item__example", "pk")
    ):
        seats.setdefault(seat.item, []).append(seat)
    labels = []
    for item, of_item in seats.items():
        for number, seat in enumerate(of_item):
            value = truth[index[item.run_id], item.example - 1]
            if number and chance.random() >= agree:
                value = 1 - value
            labels.append(
                Label(
                    item=item,
                    rater=raters[number],
                    version=task.version,
                    answer=name(value),
                    value=value,
                    seconds=5,
                    note="a note" if number else "",
                )
            )
            seat.rater, seat.is_done = raters[number], True
    Label.objects.bulk_create(labels)
    Seat.objects.bulk_update([seat for of_item in seats.values() for seat in of_item], ["rater", "is_done"])
    with transaction.atomic():
        columns.publish(task)


def send(run, version, values):
    kept = [Kept(float(value), None, None, None, None) for value in values]
    with transaction.atomic():
        records.keep(run, version, [*range(1, len(values) + 1)], kept)
