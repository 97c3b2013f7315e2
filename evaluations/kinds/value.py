"""The kind `value`: an outside score, read from the row and checked against its bounds, never computed."""

import math
from collections.abc import Mapping
from functools import lru_cache
from statistics import fmean
from typing import Annotated, Any, Protocol

import numpy as np
from pydantic import Field, field_validator, model_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Bounds, Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.values import JSON, LONGEST_NAME, MAXIMIZE, Direction, Status, text_or_json

LARGEST = 1e12
LONGEST_LABELS = 2_000  # characters of all labels with their numbers
WORDS = {"true": 1.0, "false": 0.0}
TRUE_AND_FALSE = "true = 1, false = 0"  # labels of scores that say right or wrong
ONE_AND_ZERO = "1 = 1, 0 = 0"  # and of those that are no other numbers
WON = "won = 1, tie = 0.5, lost = 0"  # labels of scores that say which of two answers is preferred
WEIGHED = "preferred = 1, tie = 0.5, not preferred = 0"  # and of those that say how much
_SHARES = {WON: "comparisons won", WEIGHED: "the weight of preferences"}
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class NotANumber(ValueError):
    """The value is not a score; the message is a sentence."""


class ValueConfig(Config):
    direction: Annotated[
        Direction,
        Field(title="Better is", description="Whether a higher or a lower number is better."),
    ] = MAXIMIZE
    minimum: Annotated[
        Number | None,
        Field(title="Lowest", description="A lower score is an error. Empty: no bound."),
    ] = None
    maximum: Annotated[
        Number | None,
        Field(title="Highest", description="A higher score is an error. Empty: no bound."),
    ] = None
    labels: Annotated[
        str | None,
        Field(
            max_length=LONGEST_LABELS,
            title="Labels",
            description="The number of each label, if values are words; empty if all values are numbers.",
            examples=["good = 1, fair = 0.5, bad = 0"],
        ),
    ] = None
    threshold: Annotated[
        Number | None,
        Field(
            title="Pass threshold",
            description="The score from which an output passes; empty for no pass or fail.",
        ),
    ] = None
    source: Annotated[
        str | None,
        Field(
            max_length=LONGEST_NAME,
            title="Source",
            description="The tool and scorer that computed the scores. Equal names of different sources have "
            "evaluators of their own.",
        ),
    ] = None

    @field_validator("labels")
    @classmethod
    def _are_numbered(cls, labels: str | None) -> str | None:
        numbered(labels)
        return labels

    @model_validator(mode="after")
    def _has_room(self) -> "ValueConfig":
        if self.minimum is not None and self.maximum is not None and self.minimum >= self.maximum:
            raise ValueError("The lowest score must be below the highest.")
        return self

    @property
    def is_pass_fail(self) -> bool:
        """Whether the scores are words for right (1) and wrong (0), or of what is not wanted (1) and its absence."""
        return {*numbered(self.labels).values()} == {0.0, 1.0}

    @property
    def counts_parts(self) -> str:
        return _SHARES.get(self.labels or "", "")

    @property
    def words_told(self) -> str:
        said = [f"{label} {number:g}" for label, number in numbered(self.labels).items()]
        if self.labels in _SHARES or {*numbered(self.labels).values()} <= {0.0, 1.0}:
            return ""
        return f"{', '.join(said[:-1])} and {said[-1]}"

    def number(self, value: JSON, labels: Mapping[str, float]) -> float:
        """The score for a value, of a list of what several people said their mean; raises `NotANumber`."""
        if isinstance(value, list) and (said := [one for one in value if one not in (None, "")]):
            return fmean(self.number(one, labels) for one in said)
        number = _number(value, labels)
        if number is None:
            shown = text_or_json(value)[:60]
            raise NotANumber(f"not_a_number: “{shown}” is neither a number nor a label of the evaluator.")
        low, high = _limits(self)
        if number < (-LARGEST if low is None else low) or number > (LARGEST if high is None else high):
            raise NotANumber(f"out_of_bounds: {number:g} lies outside {_range(low, high)}.")
        return number


@lru_cache(maxsize=256)
def numbered(labels: str | None) -> Mapping[str, float]:
    """The numbers by label, from "good = 1, bad = 0"; labels are lower-cased."""
    table: dict[str, float] = {}
    for part in (labels or "").split(","):
        label, _, number = part.rpartition("=")
        value = _number(number, {})
        if part.strip() and (value is None or not label.strip()):
            raise ValueError("Write each label with its number, such as good = 1, bad = 0.")
        if value is not None:
            table[label.strip().lower()] = value
    return table


def is_word(value: JSON) -> bool:
    """Whether a value needs the number of a label to be a score."""
    return isinstance(value, str) and bool(value.strip()) and _number(value, {}) is None


def _number(value: JSON, labels: Mapping[str, float]) -> float | None:
    if isinstance(value, bool | int | float):
        number = float(value) if abs(value) <= LARGEST else math.inf
        return number if math.isfinite(number) else None
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    word_value = labels.get(text, WORDS.get(text))
    return _written(text) if word_value is None else word_value


def _written(text: str) -> float | None:
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return number if abs(number) <= LARGEST else None


def _range(low: float | None, high: float | None) -> str:
    below, above = (f"{-LARGEST if low is None else low:g}", f"{LARGEST if high is None else high:g}")
    return f"{below} to {above}"


def bounds(config: ValueConfig) -> Bounds:
    """The lowest and the highest score; of words for right and wrong, or for what was preferred, 0 and 1.

    Others may be partly right. People's questions have labels without numbers.
    """
    labels = config.labels or ""
    said = {*numbered(labels).values()} if "=" in labels else set()
    is_share = said >= {0.0, 1.0} and min(said) == 0.0 and max(said) == 1.0
    low, high = (0.0, 1.0) if is_share or config.is_pass_fail or config.counts_parts else (None, None)
    return (low if config.minimum is None else config.minimum), (
        high if config.maximum is None else config.maximum
    )


def _limits(config: ValueConfig) -> Bounds:
    """What no score may pass: the bounds, but not those of what is not wanted, which may occur more than once."""
    is_counted = config.direction == "minimize" and config.is_pass_fail
    return (config.minimum, config.maximum) if is_counted else bounds(config)


def score(config: ValueConfig, pairs: Pairs) -> Scores:
    """The values as scores, unchanged; an empty text counts as missing."""
    values, errors, missing = np.full(len(pairs), np.nan), {}, {}
    labels = numbered(config.labels)
    for row, value in enumerate(pairs.actual):
        if isinstance(value, str) and not value.strip():
            missing[row] = Status.MISSING_ACTUAL
            continue
        try:
            values[row] = config.number(value, labels)
        except NotANumber as wrong:
            errors[row] = str(wrong)
    return Scores.scored(values, passes(config, values), errors=errors, missing=missing)


class Judging(Protocol):
    """Settings with a direction, and a threshold in it."""

    @property
    def direction(self) -> str: ...

    @property
    def threshold(self) -> float | None: ...


def passes(config: Judging, values: Any) -> Any:
    """The verdict on each value; None without a threshold."""
    if config.threshold is None:
        return None
    return values >= config.threshold if config.direction == "maximize" else values <= config.threshold


def detail(config: ValueConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    shown = text_or_json(actual)
    try:
        number = config.number(actual, numbered(config.labels))
    except NotANumber as wrong:
        return {"compared": explain.compared(shown), "note": str(wrong)}
    ending = explain.against(number, config.threshold) if config.direction == "maximize" else ""
    of = "mean = " if isinstance(actual, list) else ""
    return {"compared": explain.compared(shown), "formula": f"{of}{explain.number(number)}{ending}"}


value = Kind(
    key="value",
    title="Outside score",
    family=Family.OUTSIDE,
    summary="A number from another tool or a person",
    description="Reads a score from another tool or a person, such as COMET, MQM or a time, at the path that "
    "you set: a column of the upload, the metadata or the output. Numbers are used unchanged, true is 1, "
    "false is 0, and labels get the numbers that you assign. What several raters said of one output "
    "counts by its mean.",
    source="The score is used as it is; nothing is computed but the mean of several raters.",
    version=1,
    Config=ValueConfig,
    score=score,
    detail=detail,
    bounds=bounds,
    reads_text=False,
    parameters=("actual",),
)
