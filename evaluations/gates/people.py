"""People and judges in criteria: which evaluator helps people's labels, and judges that nobody checked against them."""

from collections.abc import Mapping
from typing import Any

from evaluations.comparisons.people import standing
from evaluations.errors import Invalid
from evaluations.kinds.people import people
from evaluations.models import EvaluatorVersion, Opening

HELPED = ("not_worse", "better")  # rules about a difference, which can be an estimate


def helper(
    index: int, fields: Mapping[str, Any], version: EvaluatorVersion, versions: Mapping[int, EvaluatorVersion]
) -> int | None:
    """The evaluator that helps people's labels in a criterion: the named one, else the one that was opened first.

    It is part of the criterion, so that a passport that is opened later changes no gate; null: the labels alone.
    """
    if version.kind != people.key or fields["rule"] not in HELPED:
        if fields.get("helper") is not None:
            raise _wrong(
                index, "helper", "Only labels of people are helped, by the rules not_worse and better."
            )
        return None
    if "helper" in fields and fields["helper"] is None:
        return None
    opened = Opening.objects.filter(label_set=version.evaluator_id, version__in=list(versions.values()))
    held = [opening.version for opening in opened.select_related("version").order_by("pk")]
    if "helper" not in fields:
        return held[0].evaluator_id if held else None
    if fields["helper"] not in {one.evaluator_id for one in held}:
        message = "This evaluator did not score the baseline, or is not checked against these labels."
        raise _wrong(index, "helper", message)
    return int(fields["helper"])


def is_unchecked(index: int, fields: Mapping[str, Any], version: EvaluatorVersion) -> bool:
    """Whether a criterion takes a judge that is not checked against people; raises `Invalid` unless it says so.

    Labels for reading decide nothing.
    """
    if standing.is_for_reading(version):
        raise _wrong(index, "evaluator", f"{version}: {standing.FOR_READING}")
    if standing.is_weighted(version) and fields["rule"] not in HELPED:
        message = (
            f"{version}: labels that are weighed are estimates by the rules {' and '.join(HELPED)} only."
        )
        raise _wrong(index, "evaluator", message)
    if not standing.is_unchecked(version):
        return False
    if not fields.get("unchecked"):
        message = f"{version} is not checked against people."
        raise Invalid(
            "judge_not_held",
            message,
            hint="Open its passport, or say that the gate takes an unchecked judge.",
            fields={f"criteria/{index}/evaluator": [message]},
        )
    return True


def _wrong(index: int, field: str, message: str) -> Invalid:
    return Invalid("invalid_gate", message, fields={f"criteria/{index}/{field}": [message]})
