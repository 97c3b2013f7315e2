"""A caution where macro-F1, which counts each label alike, puts another variant first than the share of right labels.

Where most examples have one label, a variant that always says it is right most often.
"""

from evaluations.evaluators.recipe import Recipe
from evaluations.models import Scoring
from evaluations.numerals import fixed
from evaluations.scoring import run_counts, run_statistics
from evaluations.statistics.wording import Part

from .comparison import Comparison

MOST_SIDES, MOST = 3, 20_000  # variants, and examples; the counts of more take longer than a page
CLEAR = 0.05  # of macro-F1


def sentence(comparison: Comparison) -> list[Part]:
    """Such as "Macro-F1, which counts each label alike, puts b first: 0.61 against 0.32 for a."."""
    figures, sides = comparison.figures, comparison.sides
    is_part = figures.size < figures.full_size
    if is_part or not 1 < len(sides) <= MOST_SIDES or figures.size > MOST:
        return []
    scorings = [
        None if side.is_averaged else _scoring(side.scorings.get(figures.primary.pk, [])) for side in sides
    ]
    found = [(scoring.summary["mean"], macro_f1(scoring)) for scoring in scorings if scoring]
    if len(found) < len(sides) or any(None in pair for pair in found):
        return []
    labels = [sides.label(side.run) for side in sides]
    first = max(range(len(found)), key=lambda place: found[place][0])
    other = max(range(len(found)), key=lambda place: found[place][1] or 0)
    (_, of_first), (_, of_other) = found[first], found[other]
    if of_first is None or of_other is None or of_other - of_first < CLEAR:
        return []
    return [
        ("", "Macro-F1, which counts each label alike, puts "),
        ("name", labels[other]),
        ("", " first: "),
        ("number", fixed(of_other, 2)),
        ("", " against "),
        ("number", fixed(of_first, 2)),
        ("", " for "),
        ("name", labels[first]),
        ("", "."),
    ]


def macro_f1(scoring: Scoring) -> float | None:
    """The macro-F1 of an evaluator of labels; None for all others, and where nothing was counted."""
    recipe = Recipe.from_version(scoring.evaluator_version)
    if not (recipe.kind.reads_labels and recipe.has_statistics):
        return None
    try:
        return run_statistics.of_scoring(scoring).value("macro_f1")
    except run_counts.NoCounts:
        return None


def _scoring(scorings: list[Scoring]) -> Scoring | None:
    return next((scoring for scoring in scorings if scoring.summary), None)
