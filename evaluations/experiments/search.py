"""Searches a project by name: experiments, datasets, evaluators, prompts, gates and runs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from evaluations import kinds
from evaluations.models import (
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Gate,
    Project,
    Prompt,
    Run,
)
from evaluations.numerals import plural

OF_EACH = 6


@dataclass(frozen=True)
class Match:
    """A matching object with its noun; for a run, also its `experiment`, and which repetition it is.

    `about` is the dataset that it is about, how many examples it has, or the kind of an evaluator.
    """

    noun: str
    pk: int
    name: str
    experiment: Experiment | None = None
    repetition: str = ""
    created_at: datetime | None = None
    about: str = ""


def matches(project: Project, text: str, of_each: int = OF_EACH, noun: str = "") -> list[Match]:
    """Objects whose name contains this text, newest first, at most `of_each` of each noun, or of one `noun`."""
    named = Q(name__has=text)
    in_experiment = Run.objects.live().filter(variant__has=text, experiment__deleted_at=None)
    sources: list[tuple[str, QuerySet[Any]]] = [
        (
            "experiment",
            Experiment.objects.live()
            .filter(named, dataset__status=Dataset.Status.READY)
            .select_related("dataset"),
        ),
        ("dataset", Dataset.objects.live().filter(named)),
        ("evaluator", Evaluator.objects.live().filter(named).annotate(kind=Subquery(_KIND))),
        ("prompt", Prompt.objects.live().filter(named)),
        ("gate", Gate.objects.live().filter(named, dataset__deleted_at=None).select_related("dataset")),
        ("run", in_experiment.select_related("experiment", "generation__launch")),
    ]
    return [
        Match(
            name,
            row.pk,
            str(row),
            getattr(row, "experiment", None),
            _repetition(row),
            row.created_at,
            _about(row),
        )
        for name, rows in sources
        if noun in ("", name)
        for row in rows.filter(project=project)[:of_each]
    ]


_KIND = EvaluatorVersion.objects.filter(evaluator=OuterRef("pk"), number=OuterRef("version")).values("kind")[
    :1
]


def _about(row: Any) -> str:
    if isinstance(row, Evaluator):
        return kinds.get(vars(row)["kind"]).title  # annotated by the query
    if isinstance(row, Dataset):
        return plural(row.example_count, "example")
    return str(row.dataset) if isinstance(row, Experiment | Gate) else ""


def _repetition(row: Any) -> str:
    generation = getattr(row, "generation", None)
    if generation is None or generation.launch.repetitions == 1:
        return ""
    return f"repetition {generation.repetition} of {generation.launch.repetitions}"
