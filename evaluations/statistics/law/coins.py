"""McNemar's exact test of one pass/fail column."""

import math
from dataclasses import dataclass
from functools import lru_cache

import scipy

COIN_SLACK = 1 + 1e-9


@dataclass(frozen=True)
class Coins:
    """McNemar's exact test: a fair coin for each of `changed` pairs."""

    changed: int

    def critical(self, level: float) -> float:
        """The largest value of the statistic that is not significant."""
        return _critical(self.changed, level)

    def p(self, r: float) -> float:
        fewer = math.floor((self.changed - r * math.sqrt(self.changed) / COIN_SLACK) / 2 + 1e-6)
        return _tail(fewer, self.changed)


@lru_cache(maxsize=4_000)
def _critical(m: int, level: float) -> float:
    k = int(scipy.special.bdtrik(level / 2, m, 0.5)) if m else -1
    k = max((c for c in range(max(k - 2, 0), k + 3) if _tail(c, m) <= level), default=-1)
    return max(m - 2 * (k + 1), 0) / math.sqrt(m) * COIN_SLACK if m else 0.0


def _tail(fewer: int, m: int) -> float:
    return min(1.0, 2 * float(scipy.special.bdtr(fewer, m, 0.5)))
