"""The kind `formula`: a number from the scores that other evaluators gave to the same output."""

from functools import cached_property
from math import inf, isfinite
from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Bounds, Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import FAIL, NO_VERDICT, Scores
from evaluations.kinds.value import Number, passes
from evaluations.metrics import expressions
from evaluations.metrics.expressions import Numbers
from evaluations.values import JSON, MAXIMIZE, Direction, Status, canonical_json, opened_json, text_or_json

MOST_NAMES = 20
# what a row has besides scores, by name: its lowest and highest value
OF_ROW = {"length": (0.0, inf), "latency_ms": (0.0, inf), "tokens": (0.0, inf)}
NOT_SCORES = "not_scores: The actual value is no JSON object of numbers."
NOT_A_NUMBER = "not_a_number: The formula divides by zero, or its result is too large."
Id = Annotated[int, Field(ge=1)]


class Source(Config):
    """The version of an evaluator that a formula reads, and the range of its scores."""

    version: Annotated[int, Field(ge=1)]
    minimum: float | None = None
    maximum: float | None = None


class FormulaConfig(Config):
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=expressions.LONGEST,
            title="Formula",
            description="Arithmetic over scores by the names of their evaluators, in lower case with _ for blanks, "
            "and over length (characters of the output), latency_ms and tokens: + - * /, comparisons, and, or, not, "
            "min, max, if(condition, then, otherwise).",
            examples=["0.7 * exact_match + 0.3 * rouge_l"],
        ),
    ] = ""
    direction: Annotated[
        Direction,
        Field(title="Better is", description="Whether a higher or a lower number is better."),
    ] = MAXIMIZE
    threshold: Annotated[
        Number | None,
        Field(
            title="Pass threshold",
            description="The number from which an output passes; empty for no pass or fail.",
        ),
    ] = None
    evaluators: Annotated[
        dict[str, Id],
        Field(
            title="Evaluators",
            description="The id of the evaluator that each name stands for. Found by their names if left out.",
        ),
    ] = {}
    sources: Annotated[
        dict[str, Source],
        Field(
            title="Versions",
            description="The version of each evaluator that is read, with the range of its scores: filled when the "
            "formula is saved, with the newest versions where they are left out.",
        ),
    ] = {}

    @field_validator("expression")
    @classmethod
    def _is_read(cls, text: str) -> str:
        names = expressions.read(text).names
        if not names:
            raise ValueError("A formula reads at least one score.")
        if len(names) > MOST_NAMES:
            raise ValueError(f"A formula reads at most {MOST_NAMES} scores.")
        return text

    @model_validator(mode="after")
    def _knows_its_names(self) -> "FormulaConfig":
        if not self.expression:
            raise ValueError("Write a formula, such as 0.7 * exact_match + 0.3 * rouge_l.")
        if self.evaluators and (unknown := [name for name in self.scores if name not in self.evaluators]):
            raise ValueError(f"evaluators names no “{unknown[0]}”, which the formula reads.")
        if needless := [name for name in self.evaluators if name not in self.scores]:
            raise ValueError(f"The formula does not read “{needless[0]}”, which evaluators names.")
        return self

    @cached_property
    def read(self) -> expressions.Expression:
        return expressions.read(self.expression)

    @property
    def scores(self) -> list[str]:
        """The names that stand for evaluators."""
        return [name for name in self.read.names if name not in OF_ROW]

    @property
    def of_row(self) -> list[str]:
        """The other names that it uses."""
        return [name for name in self.read.names if name in OF_ROW]


def computed(config: FormulaConfig, columns: dict[str, Numbers], size: int) -> Scores:
    """The result of the formula for `size` rows, given a column for each of its names."""
    values, status = config.read.compute(columns, size)
    scores = Scores(values, np.full(size, NO_VERDICT, np.int8), status)
    judged = passes(config, values)
    if judged is not None:
        scores.passed = np.where(np.isnan(values), np.int8(NO_VERDICT), judged.astype(np.int8))
        scores.passed[(status == Status.NOT_FOUND) & ~np.isnan(values)] = FAIL
    scores.messages = {
        int(row): NOT_A_NUMBER for row in np.flatnonzero(_went_wrong(columns, status, size)).tolist()
    }
    return scores


def _went_wrong(columns: dict[str, Numbers], status: Any, size: int) -> Any:
    """The rows with an error of the formula itself."""
    of_sources = np.zeros(size, np.bool_)
    for column in columns.values():
        of_sources |= column.status == Status.ERROR
    return (status == Status.ERROR) & ~of_sources


def score(config: FormulaConfig, pairs: Pairs) -> Scores:
    """The formula over rows that are objects of numbers by name; what an object lacks is missing."""
    read = [_numbers(actual) for actual in pairs.actual]
    columns = {name: _column([row or {} for row in read], name) for name in config.read.names}
    scores = computed(config, columns, len(read))
    for row in (row for row, numbers in enumerate(read) if numbers is None):
        scores.values[row], scores.passed[row], scores.status[row] = np.nan, NO_VERDICT, Status.ERROR
        scores.messages[row] = NOT_SCORES
    return scores


def _numbers(actual: JSON) -> dict[str, float | None] | None:
    """The numbers by name; None if the value is no object of numbers."""
    value = opened_json(actual)
    if not isinstance(value, dict):
        return None
    numbers = {name: _number(number) for name, number in value.items()}
    return None if any(number is False for number in numbers.values()) else numbers


def _number(value: Any) -> Any:
    """The number, None for null, or False for anything else."""
    if value is None:
        return None
    if not isinstance(value, bool | int | float):
        return False
    try:
        number = float(value)
    except OverflowError:
        return False
    return number if isfinite(number) else False


def _column(rows: list[dict[str, float | None]], name: str) -> Numbers:
    values = np.array([row.get(name) for row in rows], np.float64)
    status = np.where(np.isnan(values), np.uint8(Status.MISSING_ACTUAL), np.uint8(Status.SCORED))
    return Numbers(values, status)


def bounds(config: FormulaConfig) -> Bounds:
    """The ends of what the formula can give, from the ranges of its sources; none for settings without a formula."""
    if not config.expression:
        return None, None
    ranges = {
        name: (
            -inf if source.minimum is None else source.minimum,
            inf if source.maximum is None else source.maximum,
        )
        for name, source in config.sources.items()
    }
    low, high = config.read.range(OF_ROW | ranges)
    return low if isfinite(low) else None, high if isfinite(high) else None


def detail(config: FormulaConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    numbers = _numbers(actual)
    if numbers is None:
        return {"compared": explain.compared(text_or_json(actual)), "note": NOT_SCORES}
    return explained(config, numbers)


def explained(config: FormulaConfig, numbers: dict[str, float | None]) -> dict[str, Any]:
    """The formula with numbers in place of names, and its result."""
    used = {name: numbers.get(name) for name in config.read.names}
    columns = {name: _column([used], name) for name in used}
    scores = computed(config, columns, 1)
    blocks: dict[str, Any] = {"compared": explain.compared(canonical_json(used))}
    written = config.read.written(used)
    if np.isnan(scores.values[0]):
        why = scores.messages.get(0, "").partition(": ")[2] or "A score is missing."
        return blocks | {"formula": written, "note": why}
    value = float(scores.values[0])
    return blocks | {"formula": f"{written} = {expressions.number(value)}{_against(config, value)}"}


def _against(config: FormulaConfig, value: float) -> str:
    if config.threshold is None:
        return ""
    passed = bool(passes(config, np.float64(value)))
    least, other = ("passes at", "below") if config.direction == "maximize" else ("at most", "above")
    return f", {least if passed else other} {config.threshold:g}"


formula = Kind(
    key="formula",
    title="Formula",
    family=Family.OUTSIDE,
    summary="A weighted sum or condition over scores",
    description="A number from the scores that other evaluators gave to the same output: a weighted sum, a minimum, or "
    "one score only where another passes. It is computed when these scores are, and again whenever they change. What "
    "is missing stays missing.",
    source="Ordinary arithmetic with double precision; promptfoo (derived metrics) and Opik (AggregatedMetric) offer "
    "it.",
    version=1,
    Config=FormulaConfig,
    score=score,
    detail=detail,
    bounds=bounds,
    reads_text=False,
    reads_json=True,
    parameters=("actual",),
    is_derived=True,
)
