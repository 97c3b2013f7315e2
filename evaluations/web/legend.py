"""How to read the drawings of differences: examples for a project without experiments."""

from evaluations.charts import Interval, intervals

LEGEND = [
    (
        intervals([Interval(0.21, 0.41, 0.61, "better")], 1.0),
        (
            "better",
            "Better.",
            "The whole interval is right of the line: better than the baseline.",
        ),
    ),
    (
        intervals([Interval(-0.59, -0.37, -0.14, "worse")], 1.0),
        ("worse", "Worse.", "The whole interval is left of the line."),
    ),
    (
        intervals([Interval(-0.15, 0.12, 0.39, "cannot_tell")], 1.0),
        (
            "cannot_tell",
            "No clear difference.",
            "The interval includes the line. More examples make it narrower.",
        ),
    ),
]
