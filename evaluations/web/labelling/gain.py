"""What a task of so many labels costs in time and finds, for the form that asks people."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import scipy

from evaluations.models import Project
from evaluations.statistics.power import SINGLE_CRITICAL

from . import pace

SIZES = (50, 100, 200, 400)
MARGIN = 0.10
SPREAD = math.sqrt(
    1 / 3
)  # the standard deviation of differences, if variants differ on a third of the examples


@dataclass(frozen=True)
class Row:
    """So many examples: half of the 95 % interval of a difference, and the chance of finding one of `MARGIN`."""

    examples: int
    width: float
    chance: float
    is_chosen: bool

    @property
    def points(self) -> float:
        return 100 * self.width


@dataclass(frozen=True)
class Gain:
    """`items` are answers or pairs, `twice` those that one more person sees, `people` how many it takes at least.

    `rows` are only for several variants.
    """

    examples: int
    variants: int
    items: int
    twice: int
    people: int
    labels: int
    each: float
    rows: list[Row]
    is_pair: bool
    in_points: bool = False  # pass or fail, and pairs: a difference of two shares

    @property
    def seconds(self) -> float:
        return self.labels * self.each


def of(
    project: Project,
    *,
    examples: int,
    variants: int,
    raters: int,
    overlap: float,
    is_pair: bool,
    in_points: bool,
    most: int,
) -> Gain:
    """What so many examples of the `most` that have answers cost and find."""
    items = examples if is_pair else examples * variants
    twice = round(overlap * items)
    return Gain(
        examples,
        variants,
        items,
        twice,
        raters + (twice > 0),
        items * raters + twice,
        pace.seconds(project),
        _rows(examples, most) if variants > 1 else [],
        is_pair,
        in_points,
    )


def _rows(examples: int, most: int) -> list[Row]:
    sizes = sorted({*SIZES, examples, most})
    return [_row(size, is_chosen=size == examples) for size in sizes if 1 < size <= max(most, examples)]


def _row(size: int, *, is_chosen: bool) -> Row:
    error = SPREAD / math.sqrt(size)
    ends: Sequence[float] = [scipy.special.ndtr(sign * MARGIN / error - SINGLE_CRITICAL) for sign in (1, -1)]
    return Row(size, SINGLE_CRITICAL * error, float(sum(ends)), is_chosen)
