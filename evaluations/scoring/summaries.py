"""The figures of a scoring, for pages, API, exports and commands."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NotRequired, TypedDict, cast

from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Scoring
from evaluations.statistics import summary
from evaluations.statistics.intervals import Interval, mean_interval, wilson

from . import columns, run_statistics

# what words without numbers do not have
NUMBERS = ("mean", "sd", "min", "p10", "median", "p90", "max", "skewness")


class Histogram(TypedDict):
    edges: Sequence[float]
    counts: Sequence[int]


class Headline(TypedDict):
    """The run statistic by which runs are compared, with the interval of this run alone."""

    name: str
    title: str
    value: float
    interval: Interval | None


class Figures(TypedDict):
    """`statistics.summary` as JSON; figures that need all values are absent while the scoring is in progress.

    `labels` are those of a label table that were found in the references; `headline` is absent for a mean.
    """

    n: int
    counts: dict[str, int]
    mean: float | None
    pass_rate: float | None
    n_passed: int
    n_judged: int
    sd: NotRequired[float | None]
    min: NotRequired[float | None]
    p10: NotRequired[float | None]
    median: NotRequired[float | None]
    p90: NotRequired[float | None]
    max: NotRequired[float | None]
    skewness: NotRequired[float | None]
    histogram: NotRequired[Histogram]
    truncated: NotRequired[int]
    labels: NotRequired[Sequence[str]]
    headline: NotRequired[Headline]


class Usage(TypedDict):
    """The calls of a scoring: vectors found in the store, calls, tokens and cost."""

    hits: int
    calls: int
    tokens: int
    cost: float | None


def notes(scores: Scores, usage: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The notes of a block: sentences by slot, truncations, mergeable sums, usage."""
    used = {} if usage is None else {"usage": dict(usage)}
    return used | {
        "messages": {str(slot): text for slot, text in scores.messages.items()},
        "truncated": scores.truncated,
        "partial": asdict(summary.partial(scores.values, scores.passed, scores.status)),
    }


def as_figures(summed: summary.Summary | summary.SoFar) -> Figures:
    return cast(Figures, asdict(summed))


def compute(scoring: Scoring) -> Figures:
    """The figures of a completed scoring, from its columns."""
    slots = columns.load(scoring.pk)
    low, high = Recipe.from_version(scoring.evaluator_version).bounds
    truncated = sum(note.get("truncated", 0) for note in scoring.blocks.values_list("notes", flat=True))
    figures = as_figures(
        summary.summarise(slots.values, slots.passed, slots.status, low=low, high=high, truncated=truncated)
    )
    if not Recipe.from_version(scoring.evaluator_version).has_means:
        figures |= dict.fromkeys(NUMBERS)  # type: ignore[typeddict-item] # each of them may be None
    return cast(Figures, {**figures, **run_statistics.to_store(scoring)})


def usage(scoring: Scoring) -> Usage | None:
    """The usage of a server by a scoring; None for kinds that call none."""
    stored = scoring.blocks.values_list("notes", flat=True)
    used = [note["usage"] for note in stored if "usage" in note]
    if not used:
        return None
    total = in_all(used)
    cost = embeddings.cost(scoring.evaluator_version, total["tokens"])
    return Usage(hits=total["hits"], calls=total["calls"], tokens=total["tokens"], cost=cost)


def in_all(used: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The sum of usages. `hits` of one half of a split chunk can be negative; the sum is right."""
    total: Counter[str] = Counter()
    for scoring in used:
        total.update(scoring)
    return total


def load_many(scorings: Iterable[Scoring]) -> dict[int, Figures]:
    """The figures of scorings by id: the stored summary, or the sum over the blocks scored so far."""
    summaries: dict[int, Figures | None] = {scoring.pk: scoring.summary for scoring in scorings}
    parts: dict[int, list[summary.Partial]] = {pk: [] for pk, figures in summaries.items() if figures is None}
    for pk, note in Block.objects.filter(scoring__in=parts).values_list("scoring_id", "notes"):
        parts[pk].append(summary.Partial(**note["partial"]))
    return {
        pk: _with_every_status(figures) if figures else as_figures(summary.merge(parts[pk]))
        for pk, figures in summaries.items()
    }


def _with_every_status(figures: Figures) -> Figures:
    """The stored figures, with 0 for a status that did not exist when they were stored."""
    counts = {status.word: 0 for status in summary.COUNTED} | figures["counts"]
    return cast(Figures, {**figures, "counts": counts})


def compared(figures: Figures, recipe: Recipe) -> tuple[float | None, Interval | None]:
    """What runs are compared by, with its 95 % interval: the mean, or the run statistic that is the headline."""
    if recipe.headline is None:
        return figures["mean"], interval(figures, recipe.bounds)
    headline = figures.get("headline")
    if headline is None:
        return None, None
    low, high = headline["interval"] or (None, None)
    return headline["value"], None if low is None or high is None else (low, high)


def interval(figures: Figures, bounds: tuple[float | None, float | None]) -> Interval | None:
    """The 95 % interval of a mean; of a pass rate, Wilson's. None without a standard deviation."""
    n, sd, mean = figures["n"], figures.get("sd"), figures["mean"]
    if sd is None or mean is None:
        return None
    if mean == figures["pass_rate"] and n == figures["n_judged"]:
        return wilson(figures["n_passed"], n)
    return mean_interval(n, mean, sd, figures.get("skewness"), *bounds)
