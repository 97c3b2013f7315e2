"""The usual scale of grades that several people gave, though no range is declared: 2 to 5 beside 1 to 5 is 1 to 5."""

from collections.abc import Iterable, Sequence
from math import ceil, floor

Ends = tuple[float, float]
USUAL: tuple[Ends, ...] = ((1, 5), (1, 7), (1, 10), (0, 10))


def usual(seen: Ends, of_others: Sequence[Ends], *, are_means: bool) -> Ends | None:
    """The scale on which the lowest and the highest grade were given; None unless several people graded on it.

    Either others graded, too, or these `are_means` of several people, whose ends lie between whole numbers. A scale
    ends where its grades do, or those of others.

    >>> usual((2, 5), [(1, 5)], are_means=False), usual((2, 4), [(1, 5)], are_means=False)
    ((1, 5), (1, 5))
    >>> usual((5 / 3, 14 / 3), [], are_means=True), usual((1, 5), [], are_means=False)
    ((1, 5), None)
    >>> usual((0.2, 0.9), [], are_means=True), usual((3, 60), [(1, 5)], are_means=False)
    (None, None)
    """
    if not are_means and not of_others:
        return None
    whole = (floor(seen[0]), ceil(seen[1])) if are_means else seen
    tops = {whole[1]} if _ending(whole, [whole[1]]) else {high for _, high in of_others}
    return _ending(whole, tops)


def _ending(seen: Ends, tops: Iterable[float]) -> Ends | None:
    """The first usual scale with one of these highest grades that has room for the ones seen."""
    ends = {*tops}
    return next(
        (scale for scale in USUAL if scale[1] in ends and scale[0] <= seen[0] and seen[1] <= scale[1]), None
    )
