"""What stands behind the evaluators of a comparison: people, a judge held against them, or one that was not."""

from collections.abc import Iterable
from typing import Literal

from evaluations import kinds
from evaluations.kinds.people import people
from evaluations.models import EvaluatorVersion, Opening

Standing = Literal["people", "held", "not_held"]


def of(versions: Iterable[EvaluatorVersion]) -> dict[int, Standing]:
    """By version; formulas and sent scores stand in it only beside labels, and once they are held against people."""
    listed = list(versions)
    if not any(version.kind == people.key or version.kind in kinds.JUDGES for version in listed):
        return {}
    opened = {*Opening.objects.filter(version__in=listed).values_list("version", flat=True)}
    found: dict[int, Standing] = {}
    for version in listed:
        if version.kind == people.key:
            found[version.pk] = "people"
        elif version.pk in opened:
            found[version.pk] = "held"
        elif version.kind in kinds.JUDGES:
            found[version.pk] = "not_held"
    return found


def is_unchecked(version: EvaluatorVersion) -> bool:
    """Whether it is a judge that was not held against people."""
    return of([version]).get(version.pk) == "not_held"


def in_words(standing: Standing | None, version: EvaluatorVersion, helper: str = "") -> str:
    """Such as "judge only, not held against people"; empty where nothing needs to be said."""
    if standing is None:
        return ""
    if standing == "people":
        return f"people, helped by {helper}" if helper else "people, labels only"
    held = "held against people" if standing == "held" else "not held against people"
    return f"judge only, {held}" if version.kind in kinds.JUDGES else held
