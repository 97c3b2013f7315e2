"""The kind `number_closeness`: how near the number in the output is to the expected one, for grades and estimates."""

from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.numeric_match import NO_NUMBER, NumericMatchConfig2, ReadsNumber
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.kinds.statistic import Counting, Counts, Statistic, Tallies, Values
from evaluations.values import JSON, MINIMIZE, text_of

LARGEST = 1e12  # numbers beyond count as this
EQUAL = 1e-11  # share of their squares below which numbers do not vary, but for rounding
OUTSIDE = "outside_scale: The expected number lies outside the scale of the evaluator."
Number = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]


class NumberClosenessConfig(ReadsNumber):
    lowest: Annotated[
        Number, Field(title="Lowest", description="The lowest number that a reference can have.")
    ] = 0.0
    highest: Annotated[
        Number, Field(title="Highest", description="The highest number that a reference can have.")
    ] = 1.0
    output_lowest: Annotated[
        Number | None,
        Field(
            title="Lowest of outputs",
            description="The number in an output that means the lowest; empty: the same.",
        ),
    ] = None
    output_highest: Annotated[
        Number | None,
        Field(
            title="Highest of outputs",
            description="The number in an output that means the highest; empty: the same.",
        ),
    ] = None
    threshold: Threshold = None
    headline: Annotated[
        Literal["mean", "correlation", "weighted_kappa", "mean_absolute_error"],
        Field(
            title="Headline",
            description="The figure by which runs are compared: the mean closeness, the correlation (Pearson's) of the "
            "numbers, for which no scale matters, their quadratic weighted kappa, which graders are judged by, or "
            "their mean absolute error in the unit of the references, as of forecasts.",
        ),
    ] = "mean"

    @model_validator(mode="after")
    def _has_room(self) -> "NumberClosenessConfig":
        for low, high in ((self.lowest, self.highest), self.of_outputs):
            if low >= high:
                raise ValueError("The lowest number must be below the highest.")
        return self

    @property
    def of_outputs(self) -> tuple[float, float]:
        """The ends of the scale of outputs."""
        low = self.lowest if self.output_lowest is None else self.output_lowest
        return low, self.highest if self.output_highest is None else self.output_highest

    @property
    def reading(self) -> NumericMatchConfig2:
        return NumericMatchConfig2(extract=self.extract)

    def closeness(self, actual: float, expected: float) -> float:
        """From 0, the other end of the scale, to 1, the same place; a number outside counts as the nearer end."""
        low, high = self.of_outputs
        place = (min(max(actual, low), high) - low) / (high - low)
        wanted = (expected - self.lowest) / (self.highest - self.lowest)
        return 1.0 - abs(place - wanted)

    def errors(self, actual: Values, expected: Values) -> Values:
        """How far numbers are from the expected ones, in the unit of these, also outside of the scale."""
        low, high = self.of_outputs
        return np.abs(self.lowest + (actual - low) / (high - low) * (self.highest - self.lowest) - expected)


def score(config: NumberClosenessConfig, pairs: Pairs) -> Scores:
    """The closeness of each pair. Without an actual number: 0.0; without an expected one on the scale: an error."""
    reading = config.reading
    values, errors = np.zeros(len(pairs)), {}
    numbers = np.full((len(pairs), 2), np.nan, np.float32)
    for row, sides in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        actual, expected = (_within(reading.number(side)) for side in sides)
        if expected is None:
            errors[row] = NO_NUMBER
            continue
        numbers[row] = np.nan if actual is None else actual, expected
        if not config.lowest <= expected <= config.highest:
            errors[row] = OUTSIDE
        elif actual is not None:
            values[row] = config.closeness(actual, expected)
    passed = None if config.threshold is None else values >= config.threshold
    return Scores.scored(values, passed, errors=errors, counts=_counted(numbers, errors))


def _within(number: Decimal | None) -> float | None:
    return None if number is None else float(min(max(number, Decimal(-LARGEST)), Decimal(LARGEST)))


def _counted(numbers: NDArray[np.float32], errors: dict[int, str]) -> Counts:
    """The bits of the two numbers of each row behind a mark: 1, or 0 for an output without a number."""
    marks = np.isfinite(numbers[:, 0]).astype(np.int32)
    counts = np.column_stack([marks, numbers.view(np.int32)])
    counts[list(errors)] = -1
    return counts


def _tallies(config: NumberClosenessConfig, counts: Counts) -> Tallies:
    """By example what Pearson's correlation is made of: of answers, and, behind them, of the references of the rest.

    Last comes the error; that of a silent one is as far as an end of the scale can be.
    """
    is_answer = (counts[:, :1] == 1).astype(np.float64)
    x, y = np.ascontiguousarray(counts[:, 1:]).view(np.float32).astype(np.float64).T
    x = np.nan_to_num(x)
    answers = is_answer * np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    others = (1 - is_answer) * np.column_stack([np.ones(len(x)), y, y * y])
    furthest = np.maximum(np.abs(y - config.lowest), np.abs(y - config.highest))
    apart = np.where(is_answer[:, 0] > 0, config.errors(x, y), furthest)
    return Tallies(np.hstack([answers, others, apart[:, None]]), np.arange(len(counts)))


def _silent(counts: Counts) -> Counts:
    silent = counts.copy()
    silent[:, 0] *= counts[:, 0] < 0
    return silent


def _moments(sums: Values) -> tuple[Values, ...]:
    """The number of examples n, and the sums of x, y, x², y² and xy, of outputs x and references y.

    Every unanswered example lies as if it were ordered the wrong way round: an answer must be worse than that for
    silence to be better.
    """
    n, x, y, xx, yy, xy, m, silent_y, silent_yy, _ = sums.T
    known = np.maximum(n, 1)
    mean_x, mean_y = x / known, y / known
    spread_x, spread_y = (
        np.maximum(total / known - mean**2, 0) for total, mean in ((xx, mean_x), (yy, mean_y))
    )
    slope = -np.sqrt(np.divide(spread_x, spread_y, out=np.zeros_like(x), where=spread_y > 0))
    away = silent_y - m * mean_y
    away_squared = silent_yy - 2 * mean_y * silent_y + m * mean_y**2
    total, sum_x, sum_y = n + m, x + m * mean_x + slope * away, y + silent_y
    sum_xx = xx + m * mean_x**2 + 2 * mean_x * slope * away + slope**2 * away_squared
    sum_xy = xy + mean_x * silent_y + slope * (silent_yy - mean_y * silent_y)
    return total, sum_x, sum_y, sum_xx, yy + silent_yy, sum_xy


def _correlations(sums: Values) -> Values:
    """Pearson's correlation; 0 where one side is always the same."""
    total, x, y, xx, yy, xy = _moments(sums)
    spreads = total * xx - x**2, total * yy - y**2
    varies = (spreads[0] > EQUAL * total * xx) & (spreads[1] > EQUAL * total * yy)
    root = np.sqrt(np.where(varies, spreads[0] * spreads[1], 1.0))
    return np.where(varies, np.clip((total * xy - x * y) / root, -1.0, 1.0), 0.0)


def _weighted_kappas(sums: Values) -> Values:
    """Cohen's kappa with quadratic weights, which for numbers is Lin's concordance; 0 where all numbers are one."""
    total, x, y, xx, yy, xy = _moments(sums)
    # all pairs of an output and a reference differ by this, squared and summed; those of one example by `apart`
    by_chance = total * (xx + yy) - 2 * x * y
    apart = total * (xx + yy - 2 * xy)
    varies = by_chance > EQUAL * total * (xx + yy)
    return np.where(varies, 1.0 - apart / np.where(varies, by_chance, 1.0), 0.0)


def _mean_errors(sums: Values) -> Values:
    """The mean distance of outputs from references."""
    return np.asarray(sums[:, -1] / np.maximum(sums[:, 0] + sums[:, 6], 1))


AGREEMENT = (
    Statistic("correlation", "Correlation", "Pearson's, of outputs with references", _correlations, low=-1.0),
    Statistic(
        "weighted_kappa",
        "Weighted kappa",
        "quadratic, of outputs with references",
        _weighted_kappas,
        low=-1.0,
    ),
    Statistic(
        "mean_absolute_error",
        "Absolute error",
        "their mean, in the unit of the references",
        _mean_errors,
        high=None,
        direction=MINIMIZE,
    ),
)


def _counting(config: NumberClosenessConfig) -> Counting:
    return Counting(statistics=AGREEMENT, tallies=partial(_tallies, config), silent=_silent)


def detail(config: NumberClosenessConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    reading = config.reading
    blocks: dict[str, Any] = {
        "compared": explain.compared(text_of(actual) or "", text_of(expected) or ""),
        "numbers": {"actual": reading.written(actual), "expected": reading.written(expected)},
    }
    numbers = [_within(reading.number(side)) for side in (actual, expected)]
    if numbers[1] is None:
        return blocks | {"note": NO_NUMBER}
    if not config.lowest <= numbers[1] <= config.highest:
        return blocks | {"note": OUTSIDE}
    if numbers[0] is None:
        return blocks | {"formula": "There is no number in the output: 0"}
    low, high = config.of_outputs
    value = config.closeness(numbers[0], numbers[1])
    places = [
        f"({explain.number(number)} − {start:g}) / {end - start:g}"
        for number, start, end in (
            (min(max(numbers[0], low), high), low, high),
            (numbers[1], config.lowest, config.highest),
        )
    ]
    formula = f"1 − |{places[0]} − {places[1]}| = {explain.number(value)}"
    return blocks | {"formula": formula + explain.against(value, config.threshold)}


number_closeness = Kind(
    key="number_closeness",
    title="Closeness of numbers",
    family=Family.STRUCTURE,
    summary="Grades: how near a number comes",
    description="How near the number in the output is to the expected one, on a scale from end to end: grades, "
    "ratings, estimates. Runs can be compared by the correlation of the numbers instead, which benchmarks of "
    "similarity report, or by their weighted kappa, which those of grading report.",
    source="Mean absolute error, turned so that 1 is best and divided by the scale; Pearson's correlation as in "
    "scipy.stats.pearsonr, which STS-B reports; kappa as in scikit-learn's cohen_kappa_score with quadratic weights.",
    version=1,
    Config=NumberClosenessConfig,
    score=score,
    detail=detail,
    reads_text=False,
    counting=lambda config, labels: _counting(config),
    takes=lambda config, actual: config.reading.written(actual),
)
