"""The latest run of every variant on a dataset, over all its experiments, ranked if scores are comparable."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.about import identity
from evaluations.numerals import grouped
from evaluations.statistics import sentences
from evaluations.statistics.confirmation_sentences import online_in_short
from evaluations.statistics.ranking_sentences import worse_on
from evaluations.statistics.sentences import Part
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import capitalised, joined, text
from evaluations.values import MAXIMIZE

from .. import facts, subsets, unseen
from ..alignment.sides import MOST_RUNS
from ..comparison import Comparison
from ..figures.entries import Ranked
from ..rows import FAILED, computed
from . import trends
from .trends import Point, Trend

ENOUGH = 20  # answers of which none is right
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
    def in_common(self) -> int:
        """How many examples leads compare at least, where some mean is of more; 0 where all are of the same."""
        compared = [standing.lead.n for standing in self.standings if standing.lead]
        means = [standing.point.n for standing in self.standings]
        return min(compared) if compared and max(means) > min(compared) else 0

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


@dataclass(frozen=True)
class Ranks:
    """A ranking, best first, and the subsets on which the best is worse than the next, though it is not so overall."""

    ranking: Sequence[Ranked] = ()
    lost: Sequence[str] = ()


def rankings(evaluators_by_dataset: Mapping[int, int]) -> dict[int, Ranks]:
    """By dataset (an id), the ranking that its leaderboard shows by this evaluator; empty if it cannot be computed.

    The scorings of all are read at once; figures that a page has shown are taken from the cache.
    """
    return {
        dataset: computed(partial(_ranks, trend), Ranks, f"the ranking of dataset {dataset}")
        for dataset, trend in trends.of_several(evaluators_by_dataset).items()
    }


def _ranks(trend: Trend) -> Ranks:
    points = ranked_points(trend)
    comparison = comparison_of(points)
    return Ranks(comparison.figures.ranking, _lost(points, comparison)) if comparison else Ranks()


def _lost(points: Sequence[Point], comparison: Comparison) -> list[str]:
    """The subsets on which the best is worse than the next: of these two alone, as their own comparison says it."""
    by_run = {point.run.pk: point for point in points}
    first = [by_run[ranked.side.run.pk] for ranked in comparison.figures.ranking[:2]]
    of_two = comparison if len(points) == 2 else comparison_of(first)
    if len(first) < 2 or of_two is None:
        return []
    index = of_two.sides.runs.index(first[0].run)
    return subsets.labels_lost(of_two.figures, index)


def _leaderboard(trend: Trend) -> Leaderboard:
    fit = _fit(trend)
    ranked, beyond_most = ranked_points(trend), _best_first(trend, fit)[MOST_RUNS:]
    incomplete = {name: point for name, point in _latest(trend.points).items() if name not in fit}
    unranked = [*beyond_most, *_best_first(trend, incomplete)]
    comparison = comparison_of(ranked)
    reason = comparison.figures.no_ranking if comparison else None
    uses = _uses(trend.points)
    parts, shared = _told(trend, ranked, comparison), comparison.sentence.shared if comparison else []
    return Leaderboard(
        trend,
        _standings(comparison, ranked, uses) if comparison else [],
        [Unranked(point, _reason(trend, point), uses[identity(point.run)]) for point in unranked],
        parts,
        shared,
        text(joined([parts, shared])),
        capitalised(reason) if reason else None,
    )


def _failed(trend: Trend) -> Leaderboard:
    uses = _uses(trend.points)
    newest_first = sorted(_latest(trend.points).values(), key=lambda point: point.at, reverse=True)
    unranked = [Unranked(point, FAILED.lower(), uses[identity(point.run)]) for point in newest_first]
    return Leaderboard(trend, [], unranked, [], [], "", f"{FAILED}.")


def ranked_points(trend: Trend) -> list[Point]:
    """The latest run of each variant whose score is comparable, best first."""
    return _best_first(trend, _fit(trend))[:MOST_RUNS]


def _fit(trend: Trend) -> dict[tuple[str, str], Point]:
    """The comparable points without those of variants of which nothing is right, if any is left.

    They take part in no verdict: the evaluator may not fit them, and each would widen the intervals of all others.
    """
    whole = _whole(trend)
    return {name: point for name, point in whole.items() if not _finds_nothing(point)} or whole


def _finds_nothing(point: Point) -> bool:
    recipe = Recipe.from_version(point.scoring.evaluator_version)
    is_share = recipe.is_share and recipe.direction == MAXIMIZE
    return is_share and point.mean == 0 and point.n >= ENOUGH


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


def _told(trend: Trend, ranked: Sequence[Point], comparison: Comparison | None) -> list[Part]:
    """The verdict, whether it is confirmed, and what takes something from it."""
    if comparison is None:
        return []
    sentence, found = comparison.sentence, comparison.sentence.confirmation
    # nobody chose the baseline here, so a subset that is told against it would be about nothing
    of_many = replace(facts.first(comparison.figures, None), is_baseline_chosen=False)
    parts = sentence.parts if len(ranked) == 2 else sentences.verdict(of_many)
    confirmed = online_in_short(found) if found else []
    none_right = unseen.none_right(comparison.figures, "read some on the page of the run")
    return joined([parts, _told_lost(ranked, comparison), _opposed(trend, ranked), confirmed, none_right])


def _told_lost(ranked: Sequence[Point], comparison: Comparison) -> list[Part]:
    """On which subsets the best of several is worse than the next; of two, the verdict says it."""
    labels = _lost(ranked, comparison) if len(ranked) > 2 else []
    best, second = (
        (comparison.sides.label(row.side.run) for row in comparison.figures.ranking[:2])
        if labels
        else ("", "")
    )
    return worse_on(best, second, labels)


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
    if _finds_nothing(point):
        return f"nothing is right in {grouped(point.n)} answers, so {trend.evaluator.name} may not fit them"
    return SAMPLE if point.run.is_sample else TOO_MANY
