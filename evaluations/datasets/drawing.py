"""The interval of random numbers that belongs to a random share."""

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.models import Split
from evaluations.numerals import percent

SLACK = 1e-9  # tolerance of sums of shares


def seed_of(shares: Sequence[Split]) -> int:
    """The seed that the shares of a group already use; else a new one."""
    return next((other.seed for other in shares if other.seed is not None), secrets.randbits(32))


def interval(
    numbers: NDArray[np.float64], share: float, group_shares: Sequence[Split]
) -> tuple[float, float]:
    """The interval for a share that does not overlap those of `group_shares`; the last share takes the whole rest."""
    _check(share, group_shares)
    low, limit = _gap(group_shares)
    within = np.sort(numbers[(low <= numbers) & (numbers < limit)])
    size = round(share * len(numbers))
    is_last = share + sum(other.share or 0.0 for other in group_shares) > 1 - SLACK
    if is_last or size == len(within) > 0:
        return low, limit
    if size > len(within):
        raise _refused(
            f"Only {percent(len(within) / len(numbers), 0)} of the examples are left in the group."
        )
    return low, float(within[size]) if len(within) else low + share * (limit - low)


def _check(share: float, group_shares: Sequence[Split]) -> None:
    if not 0 < share <= 1:
        raise _refused("A share must be above 0 and at most 1.")
    if share + sum(other.share or 0.0 for other in group_shares) > 1 + SLACK:
        raise _refused(
            "Together with the other shares of the group, this share exceeds 100 % of the examples."
        )


def _gap(group_shares: Sequence[Split]) -> tuple[float, float]:
    """The first interval that no other share occupies."""
    low = 0.0
    for other in sorted(group_shares, key=lambda other: other.low):
        if other.low > low:
            return low, other.low
        low = max(low, other.high)
    return low, 1.0


def _refused(message: str) -> Invalid:
    return Invalid("invalid_split", message, fields={"share": [message]})
