"""The criteria of a gate: their rules, validation and wording."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.judge import JudgingConfig
from evaluations.kinds.recorded import RecordedConfig
from evaluations.models import EvaluatorVersion

from . import people

Rule = Literal[
    "not_worse",
    "better",
    "at_least",
    "at_most",
    "no_new_failures",
    "answered",
    "cost",
    "latency",
    "examples",
]
OF_A_MEAN = ("not_worse", "better", "at_least", "at_most")
OF_AN_EVALUATOR = (*OF_A_MEAN, "no_new_failures")
WITH_VALUE = ("at_least", "at_most", "answered", "cost", "latency", "examples")
RULES = (*OF_AN_EVALUATOR, "answered", "cost", "latency", "examples")
FIGURES = ("mean", "pass_rate")
MOST_CRITERIA = 50
LARGEST = 10**15  # of a limit, up or down


@dataclass(frozen=True)
class Criterion:
    """One condition. `value` is a limit, `margin` the largest loss that does not matter; None if the rule has none.

    `figure` is the figure that `at_least` and `at_most` compare. `helper` is the evaluator that helps people's labels;
    an `unchecked` judge is taken although it is not checked against people.
    """

    rule: Rule
    evaluator: int | None = None
    value: float | None = None
    margin: float | None = None
    figure: Literal["mean", "pass_rate"] = "mean"
    helper: int | None = None
    unchecked: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The criterion as it is stored and hashed, without fields that its rule does not use."""
        names = ("rule", "evaluator", "value", "margin", "helper")
        fields = {name: getattr(self, name) for name in names}
        figure = {"figure": self.figure} if self.rule in ("at_least", "at_most") else {}
        unchecked = {"unchecked": True} if self.unchecked else {}
        return {name: value for name, value in fields.items() if value is not None} | figure | unchecked


def from_stored(stored: Iterable[Mapping[str, Any]]) -> list[Criterion]:
    return [Criterion(**fields) for fields in stored]


def parse(
    fields: Iterable[Mapping[str, Any]],
    versions: Mapping[int, EvaluatorVersion],
    margins: Mapping[str, float],
) -> list[Criterion]:
    """Validate criteria; `versions` of evaluators scored the baseline, `margins` are those of the experiment."""
    criteria = [_parsed(index, field, versions, margins) for index, field in enumerate(fields)]
    if not criteria:
        raise _wrong("criteria", "A gate needs at least one criterion.")
    if len(criteria) > MOST_CRITERIA:
        raise _wrong("criteria", f"A gate can have at most {MOST_CRITERIA} criteria.")
    if len(set(criteria)) < len(criteria):
        raise _wrong("criteria", "Two criteria are the same.")
    return criteria


def _parsed(
    index: int,
    fields: Mapping[str, Any],
    versions: Mapping[int, EvaluatorVersion],
    margins: Mapping[str, float],
) -> Criterion:
    rule, evaluator = fields["rule"], fields.get("evaluator")
    _check_names(index, fields)
    version = versions.get(evaluator) if evaluator is not None else None
    if evaluator is not None and version is None:
        raise _wrong(
            f"criteria/{index}/evaluator",
            "The baseline has no scores by this evaluator.",
            "unknown_evaluator",
        )
    margin = fields.get("margin", margins.get(str(evaluator))) if rule == "not_worse" else None
    criterion = Criterion(rule, evaluator, fields.get("value"), margin, fields.get("figure", "mean"))
    _check_numbers(index, criterion)
    if version is not None:
        _check_range(index, criterion, version)
        criterion = replace(
            criterion,
            helper=people.helper(index, fields, version, versions),
            unchecked=people.is_unchecked(index, fields, version),
        )
    if version is not None and _needs_threshold(criterion) and not _gives_verdicts(version):
        message = f"{version.evaluator.name} has no pass threshold."
        raise _wrong(f"criteria/{index}/evaluator", message)
    return criterion


def _gives_verdicts(version: EvaluatorVersion) -> bool:
    """Whether scores pass or fail: by a threshold, or by the words of people or of a judge."""
    recipe = Recipe.from_version(version)
    if isinstance(recipe.parsed, RecordedConfig | JudgingConfig):
        return recipe.parsed.verdicts(np.zeros(1)) is not None
    return recipe.threshold is not None


def _needs_threshold(criterion: Criterion) -> bool:
    return criterion.rule == "no_new_failures" or criterion.figure == "pass_rate"


def _check_names(index: int, fields: Mapping[str, Any]) -> None:
    """Raise `Invalid` for a missing evaluator, and for fields that the rule does not use."""
    rule = fields["rule"]
    if rule in OF_AN_EVALUATOR and "evaluator" not in fields:
        raise _wrong(f"criteria/{index}/evaluator", f"The rule {rule} needs an evaluator.")
    usable = {
        "evaluator": rule in OF_AN_EVALUATOR,
        "value": rule in WITH_VALUE or rule == "no_new_failures",
        "margin": rule == "not_worse",
        "figure": rule in ("at_least", "at_most"),
    }
    for name, is_used in usable.items():
        if name in fields and not is_used:
            raise _wrong(f"criteria/{index}/{name}", f"The rule {rule} has no {name}.")


def _check_numbers(index: int, criterion: Criterion) -> None:
    rule, value, margin = criterion.rule, criterion.value, criterion.margin
    if rule == "not_worse" and not _is_above_zero(margin):
        message = "The rule not_worse needs a margin above 0: the largest loss that does not matter."
        raise _wrong(f"criteria/{index}/margin", message)
    if rule in WITH_VALUE and value is None:
        raise _wrong(f"criteria/{index}/value", f"The rule {rule} needs a value.")
    if value is not None and (message := _wrong_value(criterion, value)):
        raise _wrong(f"criteria/{index}/value", message)


def _check_range(index: int, criterion: Criterion, version: EvaluatorVersion) -> None:
    """Raise `Invalid` for a limit that nothing could miss, or nothing could keep, on the scale of the evaluator."""
    if criterion.figure != "mean":
        return
    low, high = Recipe.from_version(version).bounds
    span = None if low is None or high is None else high - low
    if criterion.rule == "not_worse" and span is not None and (criterion.margin or 0) >= span:
        message = (
            f"No variant can be worse by {criterion.margin:g} or more: the scores differ by {span:g} at most."
        )
        raise _wrong(f"criteria/{index}/margin", message)
    if criterion.rule not in ("at_least", "at_most") or criterion.value is None:
        return
    if (low is not None and criterion.value < low) or (high is not None and criterion.value > high):
        ends = (
            f"from {low:g}"
            if high is None
            else f"up to {high:g}"
            if low is None
            else f"from {low:g} to {high:g}"
        )
        raise _wrong(f"criteria/{index}/value", f"The mean can be {ends}.")


def _wrong_value(criterion: Criterion, value: float) -> str:
    """Why a value is invalid; "" if it is valid."""
    is_share = criterion.rule == "answered" or criterion.figure == "pass_rate"
    if not math.isfinite(value):
        return "The value must be a finite number."
    if is_share and not 0 <= value <= 1:
        return "A share must be a number from 0 to 1."
    if criterion.rule in ("cost", "latency") and value < 0:
        return "The value must be 0 or more."
    if criterion.rule in ("examples", "no_new_failures") and (value < 0 or value != int(value)):
        return "The value must be a whole number."
    return ""


def _is_above_zero(margin: float | None) -> bool:
    return margin is not None and math.isfinite(margin) and margin > 0


def _wrong(field: str, message: str, code: str = "invalid_gate") -> Invalid:
    return Invalid(code, message, fields={field: [message]})
