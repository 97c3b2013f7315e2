"""The figures of a scoring: one function for page, API, export and command line."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Scoring
from evaluations.statistics import summary
from evaluations.statistics.intervals import Interval, mean_interval, wilson

from . import columns


def notes(scores: Scores, usage: Mapping[str, int] | None = None) -> dict[str, Any]:
    """What a block keeps beside its arrays: sentences by slot, truncations, the sums for "so far" figures, usage."""
    used = {} if usage is None else {"usage": dict(usage)}
    return used | {
        "messages": {str(slot): text for slot, text in scores.messages.items()},
        "truncated": scores.truncated,
        "partial": asdict(summary.partial(scores.values, scores.passed, scores.status)),
    }


def compute(scoring: Scoring) -> dict[str, Any]:
    """The summary of a finished scoring, from its arrays."""
    slots = columns.load(scoring.pk)
    low, high = Recipe.from_version(scoring.evaluator_version).bounds
    truncated = sum(note.get("truncated", 0) for note in scoring.blocks.values_list("notes", flat=True))
    figures = summary.summarise(
        slots.values, slots.passed, slots.status, low=low, high=high, truncated=truncated
    )
    return asdict(figures)


def usage(scoring: Scoring) -> dict[str, Any] | None:
    """Vectors found in the store, calls, tokens and their cost in all; None for kinds that call no server."""
    stored = scoring.blocks.values_list("notes", flat=True)
    used = [note["usage"] for note in stored if "usage" in note]
    if not used:
        return None
    total = in_all(used)
    cost = embeddings.cost(scoring.evaluator_version, total["tokens"])
    return {name: total[name] for name in ("hits", "calls", "tokens")} | {"cost": cost}


def in_all(used: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The sum of usages. The `hits` of one half of a split chunk can be negative; the sum is right."""
    total: Counter[str] = Counter()
    for each in used:
        total.update(each)
    return total


def so_far(scoring: Scoring) -> dict[str, Any]:
    """Mean, n, counts and pass rate of the blocks stored so far; figures that need all values are null."""
    stored = scoring.blocks.values_list("notes", flat=True)
    return asdict(summary.merge(summary.Partial(**note["partial"]) for note in stored))


def load_many(scorings: Iterable[Scoring]) -> dict[int, dict[str, Any]]:
    """`load` for many scorings, by id, with one query for those that have not ended."""
    by_id = {scoring.pk: scoring.summary for scoring in scorings}
    parts: dict[int, list[summary.Partial]] = {pk: [] for pk, kept in by_id.items() if kept is None}
    for pk, note in Block.objects.filter(scoring__in=parts).values_list("scoring_id", "notes"):
        parts[pk].append(summary.Partial(**note["partial"]))
    return by_id | {pk: asdict(summary.merge(partials)) for pk, partials in parts.items()}


def load(scoring: Scoring) -> dict[str, Any]:
    """The kept summary of a scoring that has ended, else its figures so far."""
    return scoring.summary if scoring.summary is not None else so_far(scoring)


def interval(summary: Mapping[str, Any], bounds: tuple[float | None, float | None]) -> Interval | None:
    """The 95 % interval of a mean; of pass marks, Wilson's. None while there is no deviation yet."""
    if summary.get("sd") is None:
        return None
    n = summary["n"]
    if summary["mean"] == summary["pass_rate"] and n == summary["n_judged"]:
        return wilson(summary["n_passed"], n)
    return mean_interval(n, summary["mean"], summary["sd"], summary.get("skewness"), *bounds)
