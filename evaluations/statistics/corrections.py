"""Many comparisons at once: Holm's correction, and the verdict that comes after it."""

import dataclasses
from collections.abc import Sequence

from evaluations.statistics.paired import ALPHA, Paired, Verdict


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values (1979), in the order given; a None is no test and no member of the family.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    ranked = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    largest = 0.0
    for rank, (p, place) in enumerate(ranked):
        largest = max(largest, min(1.0, p * (len(ranked) - rank)))
        corrected[place] = largest
    return corrected


def correct(family: Sequence[Paired]) -> list[Paired]:
    """The comparisons of one page, each with its corrected p and the verdict that follows from it."""
    corrected = holm([comparison.p for comparison in family])
    return [
        dataclasses.replace(comparison, p_corrected=p, verdict=_verdict(comparison, p))
        for comparison, p in zip(family, corrected, strict=True)
    ]


def _verdict(comparison: Paired, p: float | None) -> Verdict:
    if p is None or p > ALPHA or not comparison.difference:
        return "cannot_tell"
    return "better" if (comparison.difference > 0) == (comparison.direction == "maximize") else "worse"
