"""What stands behind the evaluators of a comparison: people, a judge checked against them, or one that was not.

Beside people's labels a judge alone says nothing of their opinion, and labels for reading are no estimate.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from evaluations import kinds
from evaluations.kinds.people import people
from evaluations.labelling import sets
from evaluations.models import EvaluatorVersion, Opening
from evaluations.statistics.terms import Difference

Standing = Literal["people", "weighted", "reading", "held", "not_held"]
FOR_READING = "these labels are for reading: answers were chosen, or raters saw scores."
WEIGHTED = (
    "people were asked about some parts more than about others; the parts are weighed once the label set is the "
    "primary evaluator, has 30 labelled examples, and people were asked about every part that is compared."
)
JUDGE_ALONE = "A judge alone gives no verdict about people's opinion"
HELD: dict[Standing | None, str] = {
    "held": "checked against people",
    "not_held": "not checked against people",
}


def of(versions: Iterable[EvaluatorVersion]) -> dict[int, Standing]:
    """By version; formulas and sent scores stand in it only beside labels, and once they are checked against people."""
    listed = list(versions)
    if not any(version.kind == people.key or is_judge(version) for version in listed):
        return {}
    opened = {*Opening.objects.filter(version__in=listed).values_list("version", flat=True)}
    found: dict[int, Standing] = {}
    for version in listed:
        if version.kind == people.key:
            purpose = sets.config_of(version).purpose
            found[version.pk] = "people" if purpose == "estimate" else purpose
        elif version.pk in opened:
            found[version.pk] = "held"
        elif is_judge(version):
            found[version.pk] = "not_held"
    return found


def is_judge(version: EvaluatorVersion) -> bool:
    return version.kind in kinds.JUDGES


def is_for_reading(version: EvaluatorVersion) -> bool:
    """Whether these are labels of chosen answers, or of people who saw scores."""
    return version.kind == people.key and sets.config_of(version).purpose == "reading"


def is_weighted(version: EvaluatorVersion) -> bool:
    """Whether these are labels of samples of which some parts were drawn more than others."""
    return version.kind == people.key and sets.config_of(version).purpose == "weighted"


def speak(versions: Iterable[EvaluatorVersion]) -> bool:
    """Whether labels that are for estimates are among these scores."""
    return any(version.kind == people.key and not is_for_reading(version) for version in versions)


def is_unchecked(version: EvaluatorVersion) -> bool:
    """Whether it is a judge that was not checked against people."""
    return of([version]).get(version.pk) == "not_held"


def alone(paired: Difference, standing: Standing | None) -> Difference:
    """What a judge says beside people's labels: the figures without a test, since it is not they who speak."""
    if paired.verdict is None:
        return paired
    reason = f"{JUDGE_ALONE}: it is {HELD[standing]}." if standing in HELD else f"{JUDGE_ALONE}."
    return replace(paired, verdict=None, p=None, p_corrected=None, overturned_by=None, reason=reason)


def in_words(standing: Standing | None, version: EvaluatorVersion, helper: str = "") -> str:
    """Such as "judge only, not checked against people"; empty where nothing needs to be said."""
    if standing == "people":
        return f"people, helped by {helper}" if helper else "people, labels only"
    if standing == "weighted":
        return "people, weighed by part"
    if standing == "reading":
        return "people, not for estimates"
    held = HELD.get(standing, "")
    return f"judge only, {held}" if held and is_judge(version) else held
