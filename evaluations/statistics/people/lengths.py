"""Whether a judge prefers longer answers than people do: logistic regression of its verdict on the length."""

import math
from dataclasses import dataclass

import numpy as np

from evaluations.statistics.intervals import Z
from evaluations.statistics.terms import Interval, Values

STEPS = 30
FEWEST = 30  # answers
LARGEST = 20.0  # log odds beyond which the fit has no end


@dataclass(frozen=True)
class LengthBias:
    """The factor by which the odds of passing rise when the answer is twice as long, at equal labels of people."""

    odds: float
    interval: Interval
    n: int

    @property
    def is_clear(self) -> bool:
        return not self.interval[0] <= 1 <= self.interval[1]


def of_length(passed: Values, people: Values, lengths: Values) -> LengthBias | None:
    """From 0 and 1 of the judge, labels of people from 0 to 1, and lengths; None where nothing can be told."""
    known = np.isfinite(passed) & np.isfinite(people) & (lengths > 0)
    passed, people, lengths = passed[known], people[known], lengths[known]
    if len(passed) < FEWEST or np.ptp(passed) == 0 or np.ptp(lengths) == 0:
        return None
    doublings = np.log2(lengths)
    columns = [np.ones(len(passed)), doublings - doublings.mean()]
    table = np.column_stack([*columns, people] if np.ptp(people) else columns)
    fitted = _fitted(table, passed)
    if fitted is None:
        return None
    value, error = fitted
    ends = math.exp(value - Z * error), math.exp(value + Z * error)
    return LengthBias(math.exp(value), ends, len(passed))


def _fitted(table: Values, passed: Values) -> tuple[float, float] | None:
    """The coefficient of the length and its standard error, by Newton's steps; None if they do not converge."""
    beta = np.zeros(table.shape[1])
    for _ in range(STEPS):
        rates = 1 / (1 + np.exp(-np.clip(table @ beta, -LARGEST, LARGEST)))
        information = table.T @ (table * (rates * (1 - rates))[:, None])
        if np.linalg.cond(information) > 1e12:
            return None
        step = np.linalg.solve(information, table.T @ (passed - rates))
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            error = math.sqrt(float(np.linalg.inv(information)[1, 1]))
            return float(beta[1]), error
        if np.abs(beta).max() > LARGEST:
            return None
    return None
