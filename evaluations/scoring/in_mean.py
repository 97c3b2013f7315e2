"""What the mean of a run leaves out, and what it counts as worst, as comparisons count all unreadable answers."""

from evaluations.evaluators.recipe import Recipe
from evaluations.numerals import fixed, grouped, percent
from evaluations.statistics import missing
from evaluations.statistics.terms import Scale
from evaluations.values import Status

from .causes import Cause, of_status
from .summaries import Figures

UNREAD = (Status.NOT_FOUND, Status.NO_VERDICT, Status.UNMAPPED)


def words(figures: Figures, recipe: Recipe) -> str:
    """Such as "answered only; 50.0 % with 2 unanswered as wrong"; "" where every example has a score of its own."""
    unanswered = (
        0 if _has_score(recipe, Status.MISSING_ACTUAL) else _blamed(figures, recipe, Status.MISSING_ACTUAL)
    )
    as_worst = _unread_as_worst(figures, recipe)
    unread = sum(_blamed(figures, recipe, status) for status in UNREAD) - as_worst
    left_out = {"unanswered": unanswered, "unreadable": unread}
    kept = [word for word, n in (("answered", unanswered), ("readable", unread)) if n]
    told = [f"{' and '.join(kept)} only"] if kept else []
    worst = "wrong" if recipe.share else "worst"
    # of scores that are no shares, a mean of the answered ones says enough
    if (unread or (unanswered and recipe.share)) and (
        mean := _with_worst(figures, recipe, unanswered + unread)
    ):
        counted = " and ".join(f"{grouped(n)} {word}" for word, n in left_out.items() if n)
        told = [f"{told[0]}; {mean} with {counted} as {worst}"]
    if as_worst:
        told.append(f"unreadable as {worst}")
    return ", ".join(told)


def _with_worst(figures: Figures, recipe: Recipe, left_out: int) -> str:
    """The mean of a comparison, in which these count as worst; "" where the scores have no worst end, or no mean."""
    worst = missing.bound(Scale(recipe.direction, recipe.is_share, *recipe.bounds))
    if worst is None or recipe.headline is not None or not recipe.has_means:
        return ""
    total = (figures["mean"] or 0.0) * figures["n"] + worst * left_out
    mean = total / (figures["n"] + left_out)
    return percent(mean) if recipe.is_per_cent else fixed(mean, 3)


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
