"""A small line of the best mean so far, without an axis."""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from .svg import join, px

SPARK_WIDE, SPARK_TALL = 92, 24  # pixels


def sparkline(courses: Sequence[Sequence[float]], label: str, *, lower_is_better: bool = False) -> SafeString:
    """The best mean so far as a small line; a vertical line marks where scores stop being comparable."""
    values = [value for course in courses for value in course]
    low, high = min(values), max(values)
    steps = max(len(values) - 1, 1)
    parts, first = [], 0
    for course in courses:
        points = [
            (SPARK_WIDE * (first + n) / steps, _tall(value, low, high)) for n, value in enumerate(course)
        ]
        if first:
            x = px(SPARK_WIDE * (first - 0.5) / steps)
            parts.append(format_html('<path class="spark-mark" d="M{} 0v{}"/>', x, SPARK_TALL))
        path = "L".join(f"{px(x)} {px(_flipped(y, lower_is_better))}" for x, y in points)
        parts.append(format_html('<path d="M{}"/>', path))
        end = points[-1]
        first += len(course)
    y = px(_flipped(end[1], lower_is_better))
    parts.append(format_html('<circle cx="{}" cy="{}" r="2"/>', px(end[0]), y))
    return format_html(
        '<svg class="sparkline" width="{0}" height="{1}" viewBox="-1 -1 {2} {3}" role="img" aria-label="{4}">{5}</svg>',
        *(SPARK_WIDE + 6, SPARK_TALL + 2, SPARK_WIDE + 5, SPARK_TALL + 2, label, join(parts)),
    )


def _tall(value: float, low: float, high: float) -> float:
    """The height of a value, in pixels from the top of the drawing."""
    return SPARK_TALL / 2 if high == low else 2 + (SPARK_TALL - 4) * (1 - (value - low) / (high - low))


def _flipped(y: float, is_flipped: bool) -> float:
    return SPARK_TALL - y if is_flipped else y
