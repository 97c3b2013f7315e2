"""Other scores on the scale of the primary, such as those of further raters: the verdict is that of one of them."""

from evaluations.models import Evaluator
from evaluations.statistics.wording import Part, names, number

from .alignment.sides import BASELINE
from .figures.figures import Figures


def are_alike(figures: Figures, evaluator: Evaluator, second: Evaluator) -> bool:
    """Whether both are scores from outside on one scale, declared or seen, such as ratings from 1 to 5."""
    known = figures.evaluators
    told = [known.scale_told(one.pk) for one in (evaluator, second) if known.is_outside(one.pk)]
    return len(told) == 2 and told[0] == told[1] != ""


def raters(figures: Figures) -> list[Evaluator]:
    """The primary and the others on its scale; empty without others."""
    others = [e for e in figures.evaluators.secondary if are_alike(figures, figures.primary, e)]
    return [figures.primary, *others] if others else []


def told(figures: Figures) -> list[Part]:
    """Whose verdict it is, and the difference on the mean of all; empty without others on the scale."""
    everybody = raters(figures)
    if not everybody:
        return []
    named = names([one.name for one in everybody], "evaluator")
    alone: list[Part] = [
        ("", "This is the verdict of "),
        ("evaluator", figures.primary.name),
        ("", " alone. "),
    ]
    mean = _mean_difference(figures, everybody)
    if mean is None:
        return [*alone, *named, ("", " have one scale, so a formula can compare by their mean.")]
    difference = f", which have one scale, the difference is {number(mean, signed=True)}."
    return [*alone, ("", "On the mean of "), *named, ("", difference)]


def _mean_difference(figures: Figures, raters: list[Evaluator]) -> float | None:
    """Of two variants; None for more, and where the evaluators scored different numbers of examples."""
    if len(figures.sides) != BASELINE + 2:
        return None
    pairs = [figures.entries_of(rater)[0].paired for rater in raters]
    differences = [pair.difference for pair in pairs if pair.difference is not None and pair.n == pairs[0].n]
    return sum(differences) / len(raters) if len(differences) == len(raters) else None
