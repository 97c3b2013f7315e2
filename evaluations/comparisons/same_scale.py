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


def told(figures: Figures) -> list[Part]:
    """Whose verdict it is, and the difference on the mean of all; empty without others on the scale."""
    primary = figures.primary
    others = [e for e in figures.evaluators.secondary if are_alike(figures, primary, e)]
    if not others:
        return []
    everybody = names([primary.name, *(e.name for e in others)], "evaluator")
    alone: list[Part] = [("", "This is the verdict of "), ("evaluator", primary.name), ("", " alone. ")]
    by_formula: list[Part] = [
        ("", "An evaluator of the kind formula can compare by the mean of "),
        *everybody,
    ]
    mean = _mean_difference(figures, [primary, *others])
    if mean is None:
        return [*alone, *by_formula, ("", ", which have one scale.")]
    difference = (
        f", which have one scale, the difference is {number(mean, signed=True)}; an evaluator of the "
    )
    return [
        *alone,
        ("", "On the mean of "),
        *everybody,
        ("", f"{difference}kind formula gives a verdict on it."),
    ]


def _mean_difference(figures: Figures, raters: list[Evaluator]) -> float | None:
    """Of two variants; None for more, and where the evaluators scored different numbers of examples."""
    if len(figures.sides) != BASELINE + 2:
        return None
    pairs = [figures.entries_of(rater)[0].paired for rater in raters]
    differences = [pair.difference for pair in pairs if pair.difference is not None and pair.n == pairs[0].n]
    return sum(differences) / len(raters) if len(differences) == len(raters) else None
