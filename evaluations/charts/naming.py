"""Places for the names of points in a drawing, off what else is drawn there."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

NARROW = 320.0  # pixels: the drawing on a phone; what stands apart there does so in a wide one
LETTER, TALL = 6.5, 12.0  # pixels of a letter, and of a line of text above its foot
BESIDE = 7  # pixels between a point and its name
FEET = (-6, 17, -20, 31, 4, -34, 45, -48, 59, -62, -76)  # of a name below its point, the usual one first
NAME, POINT, WHISKER, STEP, OUTSIDE = (
    40.0,
    9.0,
    4.0,
    1.0,
    9.0,
)  # what it costs to cover them, or to leave the drawing
OTHER_SIDE, FURTHER = 0.5, 0.4
CUT = 0.3  # what each pixel of a name outside the drawing costs


class Box(NamedTuple):
    """What is drawn somewhere, and what it costs to cover it."""

    left: float
    top: float
    right: float
    bottom: float
    cost: float = 0.0

    def covers(self, other: "Box") -> bool:
        is_beside = self.right <= other.left or other.right <= self.left
        return not is_beside and self.top < other.bottom and other.top < self.bottom


class Place(NamedTuple):
    """The foot of a name, and whether it ends at its point instead of beginning there."""

    foot: float
    is_left: bool


def places(
    points: Iterable[tuple[float, float, str]], drawn: Sequence[Box], height: float
) -> Iterator[Place]:
    """For each point, as x, y and its name, the cheapest place after those of the points before it."""
    taken = list(drawn)
    for x, y, name in points:
        usual_left = x > 0.6 * NARROW
        cheapest: tuple[float, Place, Box] | None = None
        for number, below in enumerate(FEET):
            for is_left in (usual_left, not usual_left):
                foot = y + below
                width = LETTER * len(name)
                start = x - BESIDE - width if is_left else x + BESIDE
                box = Box(start, foot - TALL, start + width, foot + 2, NAME)
                cost = sum(other.cost for other in taken if box.covers(other))
                cost += FURTHER * number + OTHER_SIDE * (is_left != usual_left)
                cut = max(0.0, -box.left) + max(0.0, box.right - NARROW)
                cost += OUTSIDE * ((cut > 0) + 9 * (foot > height - 4 or foot < 4)) + CUT * cut
                if cheapest is None or cost < cheapest[0]:
                    cheapest = cost, Place(foot, is_left), box
        if cheapest is not None:
            taken.append(cheapest[2])
            yield cheapest[1]
