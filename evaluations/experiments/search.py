"""Searches a project by name: experiments, datasets, evaluators, prompts, gates and runs."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from evaluations.models import Dataset, Evaluator, Experiment, Gate, Project, Prompt, Run

OF_EACH = 6


@dataclass(frozen=True)
class Match:
    """A matching object with its noun; for a run, also its `experiment`."""

    noun: str
    pk: int
    name: str
    experiment: Experiment | None = None


def matches(project: Project, text: str, of_each: int = OF_EACH) -> list[Match]:
    """Objects whose name contains this text, newest first, at most `of_each` of each noun."""
    named = Q(name__has=text)
    in_experiment = Run.objects.live().filter(variant__has=text, experiment__deleted_at=None)
    sources: list[tuple[str, QuerySet[Any]]] = [
        ("experiment", Experiment.objects.live().filter(named, dataset__status=Dataset.Status.READY)),
        ("dataset", Dataset.objects.live().filter(named)),
        ("evaluator", Evaluator.objects.live().filter(named)),
        ("prompt", Prompt.objects.live().filter(named)),
        ("gate", Gate.objects.live().filter(named, dataset__deleted_at=None)),
        ("run", in_experiment.select_related("experiment")),
    ]
    return [
        Match(noun, row.pk, str(row), getattr(row, "experiment", None))
        for noun, rows in sources
        for row in rows.filter(project=project)[:of_each]
    ]
