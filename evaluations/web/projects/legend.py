"""How to read the drawings of differences: sample drawings for a project without experiments."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations.charts import Axis, Range, range_plot

AXIS, HEIGHT = Axis(-1.0, 1.0), 28


@dataclass(frozen=True)
class LegendEntry:
    plot: SafeString
    verdict: str
    words: str
    meaning: str


def _entry(verdict: str, low: float, point: float, high: float, words: str, meaning: str) -> LegendEntry:
    plot = range_plot(AXIS, Range(low, point, high), height=HEIGHT)
    return LegendEntry(plot, verdict, words, meaning)


LEGEND = [
    _entry("better", 0.21, 0.41, 0.61, "Better.", "The whole interval is right of the baseline."),
    _entry("worse", -0.59, -0.37, -0.14, "Worse.", "The whole interval is left of the baseline."),
    _entry(
        "cannot_tell",
        *(-0.15, 0.12, 0.39),
        "No clear difference.",
        "The interval includes the baseline. More examples make it narrower.",
    ),
]
