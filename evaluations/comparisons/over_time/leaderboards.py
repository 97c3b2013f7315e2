"""The latest run of every variant on a dataset, over all its experiments, ranked if scores are comparable."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.about import identity
from evaluations.numerals import grouped
from evaluations.statistics.sentences import Part
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import capitalised, joined

from ..alignment.sides import MOST_RUNS
from ..comparison import Comparison
from ..figures.entries import Ranked
from ..rows import FAILED, computed
from .trends import Point, Trend

SAMPLE = "only a sample of the examples was run"
TOO_MANY = f"not among the {MOST_RUNS} best"


@dataclass(frozen=True)
class Standing:
    """A variant's latest run; ranks and groups as in `Ranked`. `experiments` counts those with this variant."""

    point: Point
    ranked: Ranked
    experiments: int

    @property
    def rank(self) -> tuple[int, int]:
        return self.ranked.rank

    @property
    def lead(self) -> Difference | None:
        return self.ranked.lead


@dataclass(frozen=True)
class Unranked:
    point: Point
    reason: str
    experiments: int


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard. `parts` are its verdict; `shared` names the clusters that leads and ranks allow for."""

    trend: Trend
    standings: Sequence[Standing]
    unranked: Sequence[Unranked]
    parts: Sequence[Part]
    shared: Sequence[Part]
    sentence: str
    reason: str | None

    @property
    def is_share(self) -> bool:
        """Whether means are shown as per cent."""
        versions = [standing.point.scoring.evaluator_version for standing in self.standings[:1]]
        return any(Recipe.from_version(version).is_per_cent for version in versions)

    @property
    def one_reason(self) -> str:
        """Why no unranked run is ranked, if it is one reason for all."""
        reasons = {unranked.reason for unranked in self.unranked}
        return reasons.pop() if len(reasons) == 1 else ""


def leaderboard(trend: Trend) -> Leaderboard:
    """The ranking of the latest run of each variant by the trend's versions; other runs are listed as unranked.

    Without a ranking if it cannot be computed; then all runs are listed as unranked.
    """
    what = f"the leaderboard of dataset {trend.dataset.pk}"
    return computed(partial(_leaderboard, trend), partial(_failed, trend), what)


def _leaderboard(trend: Trend) -> Leaderboard:
    whole = _whole(trend)
    ranked, beyond_most = ranked_points(trend), _best_first(trend, whole)[MOST_RUNS:]
    incomplete = {name: point for name, point in _latest(trend.points).items() if name not in whole}
    unranked = [*beyond_most, *_best_first(trend, incomplete)]
    comparison = comparison_of(ranked)
    reason = comparison.figures.no_ranking if comparison else None
    uses = _uses(trend.points)
    return Leaderboard(
        trend,
        _standings(comparison, ranked, uses) if comparison else [],
        [Unranked(point, _reason(trend, point), uses[identity(point.run)]) for point in unranked],
        joined([comparison.sentence.parts, _opposed(trend, ranked)]) if comparison else [],
        comparison.sentence.shared if comparison else [],
        comparison.sentence.text if comparison else "",
        capitalised(reason) if reason else None,
    )


def _failed(trend: Trend) -> Leaderboard:
    uses = _uses(trend.points)
    newest_first = sorted(_latest(trend.points).values(), key=lambda point: point.at, reverse=True)
    unranked = [Unranked(point, FAILED.lower(), uses[identity(point.run)]) for point in newest_first]
    return Leaderboard(trend, [], unranked, [], [], "", f"{FAILED}.")


def ranked_points(trend: Trend) -> list[Point]:
    """The latest run of each variant whose score is comparable, best first."""
    return _best_first(trend, _whole(trend))[:MOST_RUNS]


def _whole(trend: Trend) -> dict[tuple[str, str], Point]:
    current = (point for point in trend.points if trend.is_current(point))
    return _latest(point for point in current if not point.run.is_sample)


def _best_first(trend: Trend, points: dict[tuple[str, str], Point]) -> list[Point]:
    return sorted(points.values(), key=lambda point: point.mean, reverse=trend.direction == "maximize")


def _latest(points: Iterable[Point]) -> dict[tuple[str, str], Point]:
    """The last point of every variant; `points` are in order of time."""
    return {identity(point.run): point for point in points}


def _uses(points: Iterable[Point]) -> dict[tuple[str, str], int]:
    experiments: dict[tuple[str, str], set[int]] = {}
    for point in points:
        experiments.setdefault(identity(point.run), set()).add(point.run.experiment_id)
    return {name: len(used) for name, used in experiments.items()}


def comparison_of(points: Sequence[Point]) -> Comparison | None:
    """The comparison of these runs by the evaluator of the trend; None without any."""
    if not points:
        return None
    runs = [point.run for point in points]
    # Of two variants, the sentence is about the better one.
    baseline = runs[1] if len(runs) == 2 else runs[0]
    return Comparison(runs, baseline, {point.run.pk: [point.scoring] for point in points})


def _opposed(trend: Trend, points: Sequence[Point]) -> list[Part]:
    """The other evaluators by which the best is clearly worse than the next; of the evaluator that decides alone."""
    runs = [point.run for point in points[:2]]
    if len(runs) < 2 or any(run.experiment.primary_id != trend.evaluator.pk for run in runs):
        return []
    return Comparison(runs, runs[1]).sentence.opposed


def _standings(
    comparison: Comparison, points: Sequence[Point], uses: dict[tuple[str, str], int]
) -> list[Standing]:
    by_run = {point.run.pk: point for point in points}
    return [
        Standing(_as_ranked(by_run[ranked.side.run.pk], ranked), ranked, uses[identity(ranked.side.run)])
        for ranked in comparison.figures.ranking
    ]


def _as_ranked(point: Point, ranked: Ranked) -> Point:
    """The point with the mean by which it is ranked, if its own leaves out unanswered examples."""
    if point.is_bound or not point.unanswered or ranked.mean is None:
        return point
    return replace(point, mean=ranked.mean, n=point.n + point.unanswered, interval=None)


def _reason(trend: Trend, point: Point) -> str:
    if not trend.is_current(point):
        return f"dataset v{point.versions[0]}, {trend.evaluator.name} v{point.versions[1]}"
    if point.stopped_early_of:
        return f"stopped early, at {grouped(point.n)} of {grouped(point.stopped_early_of)} examples"
    return SAMPLE if point.run.is_sample else TOO_MANY
