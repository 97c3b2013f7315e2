"""What every law of a family gives: critical values, and p.

The statistic of a column is R = |sum d| / sqrt(sum d^2) over its units (examples or clusters); for pass and
fail it is McNemar's z. `student` turns it into the t of a mean. Three laws: `Drawn` flips signs and resamples,
`Normal` draws from the correlation of the columns, `Coins` is exact for one pass/fail column.
"""

import math
from typing import Protocol

Reach = tuple[float, float]  # critical values below and above the mean


class Law(Protocol):
    """`reach` gives the critical values for a column's interval, `p` the probability of a statistic of at least `r`.

    `alone` is about the column by itself instead of its family.
    """

    columns: int
    method: str
    seed: int

    def reach(self, column: int, level: float, alone: bool = False) -> Reach: ...

    def p(self, column: int, r: float, alone: bool = False) -> float: ...


def student(r: float, units: float) -> float:
    """The t statistic for R; infinite if R is the largest possible value for this number of units."""
    return math.inf if r * r >= units else r * math.sqrt((units - 1) / (units - r * r))
