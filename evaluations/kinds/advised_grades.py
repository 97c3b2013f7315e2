"""References that are grades or estimates, which outputs come near to, perhaps on another scale."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import cycle
from statistics import StatisticsError, correlation, mean

from evaluations.values import JSON, text_of

from .numeric_match import NumericMatchConfig2

FEW = 5  # different grades, of which there must be more
SCALES = tuple((low, end) for end in (1.0, 5.0, 10.0, 100.0) for low in (0.0, -end))
NEARLY_ALL = (
    0.9  # share of the cells that must be numbers and nothing else, and of numbers that must be on a scale
)
SOME = (
    0.2  # share of the outputs that may be right to the last place, and of the grades that must have decimals
)
FOLLOW = 0.5  # correlation of the outputs of a variant with the grades, at least
MANY = 20  # different estimates, such as prices, at least
NEAR = 0.7  # rank correlation of the outputs of a variant with estimates, at least
LEVELS, ROWS_A_LEVEL = 30, 3  # marks that differ, at most, and rows for each
BESIDE = 0.75  # how far wrong marks are from the right ones, as a share of any two marks' distance, at most
FULL = 0.6  # share of a scale over which its numbers must reach

Ends = tuple[float, float]


def scales_of_grades(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, JSON] | None:
    """The settings that compare grades by their closeness, or by their correlation on another scale; None if they are
    none.

    >>> grades = [n / 5 for n in range(26)]
    >>> scales_of_grades(grades, [f"{grade + 0.1:.2f}" for grade in grades])
    {'lowest': 0.0, 'highest': 5.0}
    >>> scales_of_grades(grades, [grade / 5 - 0.01 for grade in grades])["headline"]
    'correlation'
    >>> scales_of_grades(grades, grades), scales_of_grades([18, 3.5, 7], ["18", "4", "7"])
    (None, None)
    """
    known, said = _numbers(references), _numbers(outputs)
    if not known or not said or len({*known}) <= FEW or len(said) % len(known):
        return None
    pairs = _pairs(known, said)
    if sum(one == two for one, two in pairs) > SOME * len(pairs):
        return None
    grades, given = [one for one in known if one is not None], [one for one in said if one is not None]
    scale = _scale(grades)
    other = scale if scale and _fits(given, scale) else _scale(given)
    has_decimals = sum(one != round(one) for one in grades) > SOME * len(grades)
    if scale is None or other is None or not has_decimals or not _follow(known, said):
        return None
    found: dict[str, JSON] = {"lowest": min(scale[0], *grades), "highest": max(scale[1], *grades)}
    if other == scale:
        return found
    return found | {"output_lowest": other[0], "output_highest": other[1], "headline": "correlation"}


def ends_of_estimates(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, JSON] | None:
    """The settings that compare many different estimates, such as prices, by their closeness; None if they are none.

    Answers with a unit or in words are right or wrong, however near they are.

    >>> prices = [200.0 + 37 * n for n in range(40)]
    >>> ends_of_estimates(prices, [f"{price + 11:.0f}" for price in prices])
    {'lowest': 200.0, 'highest': 1643.0, 'headline': 'mean_absolute_error'}
    >>> ends_of_estimates(prices, prices), ends_of_estimates(prices, prices[::-1])
    (None, None)
    """
    if not all(map(_is_bare, filter(text_of, references))):
        return None
    known, said = _numbers(references), _numbers(outputs)
    wanted = [one for one in known if one is not None]
    if len({*wanted}) < MANY or not said or len(said) % len(known):
        return None
    same = sum(one == two for one, two in zip(said, cycle(known), strict=False))
    if same > SOME * len(said) or not _follow(_ranks(known), _ranks(said), NEAR):
        return None
    return {"lowest": min(wanted), "highest": max(wanted), "headline": "mean_absolute_error"}


def scale_of_marks(references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, JSON] | None:
    """The settings that compare marks such as those of essays, whole numbers on a scale; None if they are none.

    Where outputs are wrong they must be near: numbers of classes and answers to sums are not.

    >>> marks = [2 + n % 11 for n in range(66)]
    >>> scale_of_marks(marks, [min(mark + n % 2, 12) for n, mark in enumerate(marks)])
    {'lowest': 2.0, 'highest': 12.0, 'headline': 'weighted_kappa'}
    >>> scale_of_marks(marks, [mark if n % 2 else 14 - mark for n, mark in enumerate(marks)])
    """
    if not all(map(_is_bare, filter(text_of, references))):
        return None
    known, said = _numbers(references), _numbers(outputs)
    marks = [one for one in known if one is not None]
    levels = {*marks}
    if not FEW < len(levels) <= min(LEVELS, len(marks) / ROWS_A_LEVEL) or not said or len(said) % len(known):
        return None
    pairs = _pairs(known, said)
    away = [abs(one - two) for one, two in pairs if one != two]
    if any(mark % 1 for mark in levels) or len(away) < SOME * len(pairs) or not _follow(known, said):
        return None
    if mean(away) > BESIDE * mean(abs(one - two) for one in marks for two in marks):
        return None
    found: dict[str, JSON] = {"lowest": min(marks), "highest": max(marks)}
    return found if any(one and one % 1 for one in said) else found | {"headline": "weighted_kappa"}


def are_asked(inputs: Sequence[JSON]) -> bool:
    """Whether most inputs end with a question: what is asked has a right answer, however near another comes.

    >>> are_asked(["How many are red?", "Who?"]), are_asked(["Dear editor, I like computers. Do you?  Yes."])
    (True, False)
    """
    return sum((text_of(one) or "").rstrip().endswith("?") for one in inputs) * 2 > len(inputs)


def _numbers(cells: Sequence[JSON]) -> list[float | None]:
    """The number of each cell, if nearly all are one; else []."""
    config = NumericMatchConfig2(extract="whole")
    numbers = [config.number(cell) if text_of(cell) else None for cell in cells]
    if numbers.count(None) > (1 - NEARLY_ALL) * len(numbers):
        return []
    return [None if number is None else float(number) for number in numbers]


def _pairs(known: Sequence[float | None], said: Sequence[float | None]) -> list[tuple[float, float]]:
    """The numbers that outputs say beside the known ones, where there are both."""
    every = zip(said, cycle(known), strict=False)
    return [(one, two) for one, two in every if one is not None and two is not None]


def _scale(numbers: Sequence[float]) -> Ends | None:
    """The least of the usual scales on which nearly all numbers lie, and which they fill."""
    return next((scale for scale in SCALES if _fits(numbers, scale)), None)


def _fits(numbers: Sequence[float], scale: Ends) -> bool:
    low, end = scale
    inside = [number for number in numbers if low <= number <= end]
    is_full = bool(inside) and max(inside) - min(inside) >= FULL * (end - low)
    return is_full and len(inside) >= NEARLY_ALL * len(numbers)


def _is_bare(cell: JSON) -> bool:
    """Whether a cell is nothing but digits, and perhaps a sign and a point."""
    return (text_of(cell) or "").strip().lstrip("+-").replace(".", "", 1).isdecimal()


def _ranks(numbers: Sequence[float | None]) -> list[float | None]:
    """The places of numbers in their order: a few large ones shall not decide."""
    ordered = sorted(one for one in numbers if one is not None)
    return [None if one is None else float(bisect_left(ordered, one)) for one in numbers]


def _follow(known: Sequence[float | None], said: Sequence[float | None], least: float = FOLLOW) -> bool:
    """Whether the numbers of any variant rise and fall with the grades."""
    for start in range(0, len(said), len(known)):
        pairs = _pairs(known, said[start : start + len(known)])
        try:
            if correlation(*zip(*pairs, strict=True)) >= least:
                return True
        except StatisticsError:  # always the same
            continue
    return False
