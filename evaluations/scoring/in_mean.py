"""What the mean of a run leaves out, and what it counts as worst, as comparisons count all unreadable answers."""

from evaluations.evaluators.recipe import Recipe
from evaluations.numerals import grouped, percent
from evaluations.values import Status

from .causes import Cause, of_status
from .summaries import Figures

UNREAD = (Status.NOT_FOUND, Status.NO_VERDICT, Status.UNMAPPED)


def words(figures: Figures, recipe: Recipe) -> str:
    """Such as "answered only"; "" where every example has a score of its own."""
    unanswered = (
        0 if _has_score(recipe, Status.MISSING_ACTUAL) else _blamed(figures, recipe, Status.MISSING_ACTUAL)
    )
    as_worst = _unread_as_worst(figures, recipe)
    unread = sum(_blamed(figures, recipe, status) for status in UNREAD) - as_worst
    kept = [word for word, left_out in (("answered", unanswered), ("readable", unread)) if left_out]
    told = [f"{' and '.join(kept)} only"] if kept else []
    if unanswered and not unread and not as_worst and recipe.share and figures["mean"] is not None:
        share = percent(figures["mean"] * figures["n"] / (figures["n"] + unanswered))
        told = [f"answered only; {share} with {grouped(unanswered)} unanswered as wrong"]
    if as_worst:
        told.append(f"unreadable as {'wrong' if recipe.share else 'worst'}")
    return ", ".join(told)


def _blamed(figures: Figures, recipe: Recipe, status: Status) -> int:
    """Examples of this status, if it is the variant's fault."""
    is_blamed = of_status(recipe, status) == Cause.VARIANT
    return figures["counts"].get(status.word, 0) if is_blamed else 0


def _has_score(recipe: Recipe, status: Status) -> bool:
    """Whether the kind gives a score where a side is missing."""
    return recipe.kind.missing(recipe.parsed, status) is not None


def _unread_as_worst(figures: Figures, recipe: Recipe) -> int:
    """Answers in which a step found nothing, as far as they have the worst score: where the kind has one."""
    counts, missing = figures["counts"], (Status.MISSING_ACTUAL, Status.MISSING_EXPECTED)
    others = sum(counts.get(status.word, 0) for status in missing if _has_score(recipe, status))
    return max(0, min(counts.get(Status.NOT_FOUND.word, 0), figures["n"] - counts["scored"] - others))
