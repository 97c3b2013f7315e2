"""The contract of the closeness of numbers; the reference computes with fractions."""

from fractions import Fraction

from evaluations.kinds.contracts.contract import NULLS, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore
from evaluations.kinds.contracts.numbers import number_in
from evaluations.values import JSON

FURTHEST = Fraction(10**12)


def number_closeness(
    actual: JSON,
    expected: JSON,
    lowest: float = 0.0,
    highest: float = 1.0,
    output_lowest: float | None = None,
    output_highest: float | None = None,
    extract: str = "last_number",
    threshold: float | None = None,
    headline: str = "mean",
) -> Judgement:
    said, wanted = (number_in(side, extract, "auto", False, False) for side in (actual, expected))
    if wanted is None:
        raise NoScore("error")
    wanted = max(-FURTHEST, min(FURTHEST, wanted))
    if wanted < Fraction(lowest) or wanted > Fraction(highest):
        raise NoScore("error")
    if said is None:
        return Judgement.reaching(0.0, threshold)
    ends = [Fraction(lowest if output_lowest is None else output_lowest)]
    ends.append(Fraction(highest if output_highest is None else output_highest))
    if said < ends[0]:
        said = ends[0]
    elif said > ends[1]:
        said = ends[1]
    parts = (said - ends[0]) / (ends[1] - ends[0]), (wanted - Fraction(lowest)) / Fraction(highest - lowest)
    return Judgement.reaching(float(1 - (max(parts) - min(parts))), threshold)


STS: dict[str, JSON] = {"highest": 5.0, "output_lowest": 0.0, "output_highest": 1.0}
CONTRACTS = {
    "number_closeness": Contract(
        reference=number_closeness,
        reads_json=True,
        formula="1 − |a − e|, where a and e are the places of both numbers between the ends of their scales, from 0 to "
        "1. With a threshold it passes at or above it. The headline “correlation” is Pearson's correlation of the "
        "numbers, from −1 to 1, which does not depend on the scales; “weighted_kappa” is 1 − d / c, where d is the "
        "mean squared difference of output and reference, and c that of every output with every reference; "
        "“mean_absolute_error” is the mean difference in the unit of the references, also outside the scale.",
        edge_cases=(
            NULLS,
            "Which number of a text counts, and how it is written, is as for Numeric match.",
            "An output without a number scores 0. A reference without one is an error (no_number).",
            "A reference outside of its scale is an error (outside_scale). An output outside counts as the nearer end.",
            "In the correlation and the weighted kappa an unanswered example lies as if the output were ordered the "
            "wrong way round, so that silence is not better than an answer. Outputs that are all the same have 0.",
            "In the mean absolute error an unanswered example is as far off as the further end of the scale.",
        ),
        golden=(
            Vector(0.75, 1, 0.75),
            Vector("I would say 3 of 4", 1, 1.0, why="the last number is 4, which counts as 1"),
            Vector("0.9", 4.5, 1.0, None, STS, why="0.9 of 1 is 4.5 of 5"),
            Vector("0.5", 5, 0.5, None, STS, why="1 − |0.5 − 1|"),
            Vector("-0.08", 0, 1.0, None, STS, why="below the scale counts as its lowest"),
            Vector(
                "4", "3.5", 0.875, True, {"lowest": 1.0, "highest": 5.0, "threshold": 0.8}, why="1 − 0.5 / 4"
            ),
            Vector("1", "5", 0.0, False, {"lowest": 1.0, "highest": 5.0, "threshold": 0.8}, why="1 − 4 / 4"),
            Vector("-20", "-10", 0.75, None, {"lowest": -30.0, "highest": 10.0}, why="1 − 10 / 40"),
            Vector("score: 2 (of 5)", 2, 1.0, None, {"highest": 5.0, "extract": r"score: (\d)"}),
            Vector("no idea", 0.5, 0.0, why="no number"),
            Vector("", 0.5, 0.0, why="no number"),
            Vector(0.5, "good", None, status="error", why="no number in the reference"),
            Vector(0.5, 2, None, status="error", why="2 is not from 0 to 1"),
            Vector(None, 0.5, None, status="missing_actual"),
            Vector(0.5, None, None, status="missing_expected"),
        ),
    ),
}
