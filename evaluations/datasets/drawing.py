"""The interval of random numbers that belongs to a random share."""

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.models import Split
from evaluations.numerals import percent

SLACK = 1e-9  # tolerance of sums of shares


def seed_of(others: Sequence[Split]) -> int:
    """The seed that the shares of a group already use; else a new one."""
    return next((other.seed for other in others if other.seed is not None), secrets.randbits(32))


def interval(numbers: NDArray[np.float64], share: float, others: Sequence[Split]) -> tuple[float, float]:
    """The interval for a share that does not overlap those of `others`; the last share takes the whole rest."""
    _check(share, others)
    low, limit = _gap(others)
    within = np.sort(numbers[(low <= numbers) & (numbers < limit)])
    size = round(share * len(numbers))
    is_rest = share + sum(other.share or 0.0 for other in others) > 1 - SLACK
    if is_rest or size == len(within) > 0:
        return low, limit
    if size > len(within):
        raise _refused(
            f"Only {percent(len(within) / len(numbers), 0)} of the examples are left in the group."
        )
    return low, float(within[size]) if len(within) else low + share * (limit - low)


def _check(share: float, others: Sequence[Split]) -> None:
    if not 0 < share <= 1:
        raise _refused("A share must be above 0 and at most 1.")
    if share + sum(other.share or 0.0 for other in others) > 1 + SLACK:
        raise _refused(
            "Together with the other shares of the group, this share exceeds 100 % of the examples."
        )


def _gap(others: Sequence[Split]) -> tuple[float, float]:
    """The first interval that no other share occupies."""
    low = 0.0
    for other in sorted(others, key=lambda other: other.low):
        if other.low > low:
            return low, other.low
        low = max(low, other.high)
    return low, 1.0


def _refused(message: str) -> Invalid:
    return Invalid("invalid_split", message, fields={"share": [message]})
