"""Searches a project by name: experiments, datasets, evaluators, prompts, gates and runs."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from evaluations.models import Dataset, Evaluator, Experiment, Gate, Project, Prompt, Run

OF_EACH = 6


@dataclass(frozen=True)
class Match:
    """A matching object with its noun; for a run, also its `experiment`, and which repetition it is."""

    noun: str
    pk: int
    name: str
    experiment: Experiment | None = None
    repetition: str = ""


def matches(project: Project, text: str, of_each: int = OF_EACH, noun: str = "") -> list[Match]:
    """Objects whose name contains this text, newest first, at most `of_each` of each noun, or of one `noun`."""
    named = Q(name__has=text)
    in_experiment = Run.objects.live().filter(variant__has=text, experiment__deleted_at=None)
    sources: list[tuple[str, QuerySet[Any]]] = [
        ("experiment", Experiment.objects.live().filter(named, dataset__status=Dataset.Status.READY)),
        ("dataset", Dataset.objects.live().filter(named)),
        ("evaluator", Evaluator.objects.live().filter(named)),
        ("prompt", Prompt.objects.live().filter(named)),
        ("gate", Gate.objects.live().filter(named, dataset__deleted_at=None)),
        ("run", in_experiment.select_related("experiment", "generation__launch")),
    ]
    return [
        Match(name, row.pk, str(row), getattr(row, "experiment", None), _repetition(row))
        for name, rows in sources
        if noun in ("", name)
        for row in rows.filter(project=project)[:of_each]
    ]


def _repetition(row: Any) -> str:
    generation = getattr(row, "generation", None)
    if generation is None or generation.launch.repetitions == 1:
        return ""
    return f"repetition {generation.repetition} of {generation.launch.repetitions}"
