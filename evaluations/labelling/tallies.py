"""What people said so far in a task, variant by variant."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluations.models import Label, LabelTask, Run

from . import sets


@dataclass(frozen=True)
class Tally:
    """How often each answer was given about a variant, in the order of the keys; `unsure` ones beside it."""

    variant: str
    run: int
    counts: list[tuple[str, int]]
    unsure: int
    labels: int


def of_task(task: LabelTask) -> list[Tally]:
    """The labels of a task that stand. Of a pair, the answers about each side: better, both, neither, worse."""
    config = sets.config_of(task.version)
    runs = list(task.runs.filter(deleted_at=None).order_by("pk"))
    standing = Label.objects.filter(item__task=task, withdrawn_at=None, is_adjudicated=False)
    if config.answers == "pair":
        return _of_pairs(runs, standing)
    said = Counter(standing.values_list("item__run", "answer"))
    return [
        Tally(
            run.variant,
            run.pk,
            [(answer, said[run.pk, answer]) for answer in config.choices],
            said[run.pk, ""],
            sum(count for (pk, _), count in said.items() if pk == run.pk),
        )
        for run in runs
    ]


def _of_pairs(runs: list[Run], standing: QuerySet[Label]) -> list[Tally]:
    said = Counter(
        ("unsure" if value is None else answer if value == 0.5 else "better" if value == 1 else "worse")
        for answer, value in standing.values_list("answer", "value")
    )
    turned = Counter({**said, "better": said["worse"], "worse": said["better"]})
    words = ("better", "both", "neither", "worse")
    return [
        Tally(run.variant, run.pk, [(word, counted[word]) for word in words], said["unsure"], said.total())
        for run, counted in zip(runs, (said, turned), strict=False)
    ]
