"""The figures of a scoring, for pages, API, exports and commands."""

import time
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any, NotRequired, TypedDict, cast

from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.scores import Scores
from evaluations.models import Block, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.statistics import summary
from evaluations.statistics.intervals import Interval, mean_interval, wilson

from . import columns, run_statistics

AT_ONCE = 100  # blocks whose notes are read at a time
SLOW, PAUSE = (
    0.05,
    20,
)  # sums that take longer than so many seconds are made again after so many times as long
# what words without numbers do not have
NUMBERS = ("mean", "sd", "min", "p10", "median", "p90", "max", "skewness")


figures_so_far: ProcessCache[Hashable, tuple[float, dict[int, "Figures"]]] = ProcessCache(
    "figures of runs in progress", 1_000
)


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
    truncated = sum(note.get("truncated", 0) for note in _stored_notes(scoring))
    figures = as_figures(
        summary.summarise(slots.values, slots.passed, slots.status, low=low, high=high, truncated=truncated)
    )
    if not Recipe.from_version(scoring.evaluator_version).has_means:
        figures |= dict.fromkeys(NUMBERS)  # type: ignore[typeddict-item] # each of them may be None
    return cast(Figures, {**figures, **run_statistics.to_store(scoring)})


def usage(scoring: Scoring) -> Usage | None:
    """The usage of a server by a scoring; None for kinds that call none."""
    used = [note["usage"] for note in _stored_notes(scoring) if "usage" in note]
    if not used:
        return None
    total = in_all(used)
    cost = embeddings.cost(scoring.evaluator_version, total["tokens"])
    return Usage(hits=total["hits"], calls=total["calls"], tokens=total["tokens"], cost=cost)


def _stored_notes(scoring: Scoring) -> Iterator[dict[str, Any]]:
    """The notes of each block. Some at a time, because each may have thousands of sentences."""
    return scoring.blocks.values_list("notes", flat=True).iterator(AT_ONCE)


def in_all(used: Iterable[Mapping[str, int]]) -> Counter[str]:
    """The sum of usages. `hits` of one half of a split chunk can be negative; the sum is right."""
    total: Counter[str] = Counter()
    for scoring in used:
        total.update(scoring)
    return total


def load_many(scorings: Iterable[Scoring]) -> dict[int, Figures]:
    """The figures of scorings by id: the stored summary, or the sum over the blocks scored so far."""
    chosen = list(scorings)
    unfinished = [scoring for scoring in chosen if scoring.summary is None]
    so_far = _so_far(unfinished) if unfinished else {}
    return {
        scoring.pk: _with_every_status(scoring.summary)
        if scoring.summary
        else so_far.get(scoring.pk) or as_figures(summary.merge([]))
        for scoring in chosen
    }


def _so_far(scorings: Sequence[Scoring]) -> dict[int, Figures]:
    """The sums over the blocks of these scorings, by id; without those that have none yet.

    A run of millions has thousands of blocks, and whoever waits for it asks again and again.
    """
    key = tuple(scoring.stamp for scoring in scorings)
    until, figures = figures_so_far.get(key) or (0.0, {})
    if (began := time.monotonic()) < until:
        return figures
    figures = _sums([scoring.pk for scoring in scorings])
    took = time.monotonic() - began
    if took > SLOW:
        figures_so_far.put(key, (began + PAUSE * took, figures))
    return figures


def _sums(scorings: Collection[int]) -> dict[int, Figures]:
    blocks = Block.objects.filter(scoring__in=scorings).order_by("scoring_id")
    stored = blocks.values_list("scoring_id", "notes").iterator(AT_ONCE)
    return {
        pk: as_figures(summary.merge(summary.Partial(**note["partial"]) for _, note in rows))
        for pk, rows in groupby(stored, key=itemgetter(0))
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
