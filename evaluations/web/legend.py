"""How to read the drawings of differences: examples for a project without experiments."""

from evaluations.charts import Axis, Range, range_plot

AXIS = Axis(-1.0, 1.0)
HEIGHT = 28

LEGEND = [
    (
        range_plot(AXIS, Range(0.21, 0.41, 0.61), height=HEIGHT),
        (
            "better",
            "Better.",
            "The whole interval is right of the line: better than the baseline.",
        ),
    ),
    (
        range_plot(AXIS, Range(-0.59, -0.37, -0.14), height=HEIGHT),
        ("worse", "Worse.", "The whole interval is left of the line."),
    ),
    (
        range_plot(AXIS, Range(-0.15, 0.12, 0.39), height=HEIGHT),
        (
            "cannot_tell",
            "No clear difference.",
            "The interval includes the line. More examples make it narrower.",
        ),
    ),
]
