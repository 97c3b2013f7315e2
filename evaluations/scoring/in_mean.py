"""What the mean of a run leaves out, and what it counts as worst, as comparisons count all answers."""

import math
from collections.abc import Sequence

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import FAIL, NO_VERDICT, PASS
from evaluations.numerals import fixed, grouped, percent
from evaluations.statistics import missing
from evaluations.statistics.terms import Scale
from evaluations.values import Status

from .causes import Cause, of_status
from .summaries import Figures

UNREAD = (Status.NOT_FOUND, Status.NO_VERDICT, Status.UNMAPPED)


def shown(figures: Figures, recipe: Recipe) -> Figures:
    """The figures that lead on a page: as comparisons count them."""
    return compared(figures, recipe) or figures


def compared(figures: Figures, recipe: Recipe) -> Figures | None:
    """The figures in which unanswered and unreadable examples count as worst, and those without a reference not at all.

    None if the stored figures are these already.
    """
    if recipe.headline is not None or not recipe.has_means:
        return None
    counted = with_references(figures, recipe)
    if changes := _as_worst(figures, recipe):
        return changed(counted, changes)
    return None if counted is figures else counted


def with_references(figures: Figures, recipe: Recipe) -> Figures:
    """The figures without the score that some kinds store where an example has no reference: no variant is to blame."""
    count = figures["counts"].get(Status.MISSING_EXPECTED.word, 0)
    stored = recipe.kind.missing(recipe.parsed, Status.MISSING_EXPECTED) if count else None
    if stored is None or counts(recipe, Status.MISSING_EXPECTED.word):
        return figures
    value, verdict = stored
    n_passed = figures["n_passed"] - count * (verdict == PASS)
    n_judged = figures["n_judged"] - count * (verdict != NO_VERDICT)
    rest = changed(figures, [(-count, value)])
    rate = n_passed / n_judged if n_judged else None
    return Figures(**rest | {"n_passed": n_passed, "n_judged": n_judged, "pass_rate": rate})


def verdicts(figures: Figures, recipe: Recipe) -> dict[str, int]:
    """How many examples with a score of their own pass, fail, or do neither; those that lack one are in `counts`.

    Some kinds store a 0 that fails where there is no answer: a row is one or the other, so that the numbers add up.
    """
    failed = figures["n_judged"] - figures["n_passed"]
    failed -= _unread_as_worst(figures, recipe) * (recipe.kind.threshold(recipe.parsed) is not None)
    passed = figures["n_passed"]
    for status in (Status.MISSING_ACTUAL, Status.MISSING_EXPECTED):
        count = figures["counts"].get(status.word, 0)
        _, verdict = (count and recipe.kind.missing(recipe.parsed, status)) or (0.0, NO_VERDICT)
        passed -= count * (verdict == PASS)
        failed -= count * (verdict == FAIL)
    return {"pass": passed, "fail": failed, "neither": max(0, figures["counts"]["scored"] - passed - failed)}


def counts(recipe: Recipe, status: str) -> bool:
    """Whether what is stored with this status counts: not without a reference, for which no variant is to blame."""
    is_without = status == Status.MISSING_EXPECTED.word
    return not is_without or of_status(recipe, Status.MISSING_EXPECTED) != Cause.DATASET


def _as_worst(figures: Figures, recipe: Recipe) -> list[tuple[int, float]]:
    """How many scores comparisons add, and the worst score that these are; none where scores have no worst end."""
    worst = missing.bound(Scale(recipe.direction, recipe.is_share, *recipe.bounds))
    count = sum(_left_out(figures, recipe).values())
    return [(count, worst)] if count and worst is not None else []


def changed(figures: Figures, changes: Sequence[tuple[int, float]]) -> Figures:
    """The figures after adding or removing scores of one value; added scores do not pass."""
    n, mean, sd = figures["n"], figures["mean"] or 0.0, figures.get("sd") or 0.0
    more = sum(times for times, _ in changes)
    if not more and all(value == changes[0][1] for _, value in changes):
        return figures
    total = n + more
    if total <= 0:
        return Figures(**figures | {"n": 0, "mean": None})
    new = (n * mean + sum(times * value for times, value in changes)) / total
    squares = (n - 1) * sd**2 + n * (mean - new) ** 2 + sum(t * (v - new) ** 2 for t, v in changes)
    is_rate = figures["mean"] == figures["pass_rate"] and n == figures["n_judged"]
    rate = figures["n_passed"] / total if is_rate else figures["pass_rate"]
    return Figures(
        n=total,
        counts=figures["counts"],
        mean=rate if is_rate else new,
        pass_rate=rate,
        n_passed=figures["n_passed"],
        n_judged=total if is_rate else figures["n_judged"],
        sd=math.sqrt(max(squares, 0.0) / (total - 1)) if total > 1 else None,
    )


def words(figures: Figures, recipe: Recipe) -> str:
    """Such as "2 unanswered as wrong; 66.7 % answered only"; "" where every example has a score of its own."""
    left_out = _left_out(figures, recipe)
    kept = [word for word, n in zip(("answered", "readable"), left_out.values(), strict=True) if n]
    told = [f"{' and '.join(kept)} only"] if kept else []
    worst = "wrong" if recipe.share else "worst"
    if compared(figures, recipe) and _as_worst(figures, recipe):
        counted = " and ".join(f"{grouped(n)} {word}" for word, n in left_out.items() if n)
        told = [f"{counted} as {worst}"] + [
            f"{_mean(with_references(figures, recipe), recipe)} {told[0]}"
        ] * bool(figures["n"])
        return "; ".join(told) + f", unreadable as {worst}" * bool(_unread_as_worst(figures, recipe))
    unanswered = (
        _blamed(figures, recipe, Status.MISSING_ACTUAL) if _has_score(recipe, Status.MISSING_ACTUAL) else 0
    )
    told += [f"{grouped(unanswered)} unanswered as {worst}"] * bool(unanswered)
    if _unread_as_worst(figures, recipe):
        told.append(f"unreadable as {worst}")
    return ", ".join(told)


def _mean(figures: Figures, recipe: Recipe) -> str:
    return percent(figures["mean"]) if recipe.is_per_cent else fixed(figures["mean"], 3)


def _left_out(figures: Figures, recipe: Recipe) -> dict[str, int]:
    """How many unanswered and unreadable examples have no score."""
    unanswered = (
        0 if _has_score(recipe, Status.MISSING_ACTUAL) else _blamed(figures, recipe, Status.MISSING_ACTUAL)
    )
    unread = sum(_blamed(figures, recipe, status) for status in UNREAD) - _unread_as_worst(figures, recipe)
    return {"unanswered": unanswered, "unreadable": unread}


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
