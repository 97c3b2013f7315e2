"""Datasets in lists: each with its best mean so far, which is drawn from a few experiments on."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons import overviews, subsets
from evaluations.comparisons.figures.entries import Ranked
from evaluations.comparisons.figures.figures import Figures
from evaluations.comparisons.over_time import courses, leaderboards
from evaluations.comparisons.over_time.courses import DatasetCourse
from evaluations.comparisons.over_time.leaderboards import Ranks
from evaluations.comparisons.overviews import Overview
from evaluations.comparisons.rows import computed
from evaluations.models import Dataset, Experiment
from evaluations.numerals import plural
from evaluations.short_texts import NARROW, short_name

from ..page_tools import series
from ..page_tools.request import HttpRequest
from ..page_tools.series import Line

LEAST_DRAWN = 3  # steps from which a course is a line; the runs of an experiment are one


@dataclass(frozen=True)
class ListedDataset:
    """A dataset with its best mean so far by an evaluator over time, and the best of comparable runs.

    `label` describes both. `told` is what the ranking says of the best variant: of how many it is the best one, or
    (`is_open`) which others it is level with, or not clearly better than; `but` on which subsets it is worse.
    `since` is the version of the dataset from which on means compare, where there are means of earlier ones; of these,
    `earlier` is the best one and its version, if it is better than all that compare.
    """

    dataset: Dataset
    spark: SafeString
    best: float | None
    label: str
    evaluator: str = ""
    is_share: bool = False
    variant: str = ""
    told: str = ""
    is_open: bool = False
    but: str = ""
    since: int | None = None
    earlier: tuple[float, int] | None = None


@dataclass(frozen=True)
class DatasetLine:
    """A line of a list, and the datasets that are shown in it: none while a series is closed."""

    line: Line[Dataset]
    rows: list[ListedDataset]

    @property
    def newest(self) -> Dataset:
        return self.line.things[0]


def in_lines(
    request: HttpRequest,
    datasets: Sequence[Dataset],
    shown: Sequence[Overview] = (),
    *,
    parameter: str = series.OPEN,
    most: int | None = None,
) -> list[DatasetLine]:
    """The first lines of a list, as `listed`; those of a series are of one size."""
    found = series.lines(request, datasets, lambda one: one.name, _likeness, parameter)[:most]
    rows = iter(listed([dataset for line in found for dataset in line.shown], shown))
    return [DatasetLine(line, [next(rows) for _ in line.shown]) for line in found]


def _likeness(dataset: Dataset) -> Hashable:
    is_whole = dataset.status == Dataset.Status.READY and dataset.version
    return dataset.example_count if is_whole else None


def listed(datasets: Sequence[Dataset], shown: Sequence[Overview] = ()) -> list[ListedDataset]:
    """`shown` are the experiments on the same page: their verdicts are known, and a mean must not say more.

    Where the means are of several experiments, the leaderboard's ranking says which is the best one.
    """
    by_dataset = courses.of_datasets(datasets)
    known = {overview.experiment.pk: overview for overview in shown}
    named = {course.experiment for course in by_dataset.values() if course.experiment} - known.keys()
    lacking = Experiment.objects.filter(pk__in=named).select_related("project", "dataset", "primary")
    loaded = overviews.load([*lacking]) if named else []
    known |= {overview.experiment.pk: overview for overview in loaded}
    several = {pk: one.evaluator_id for pk, one in by_dataset.items() if one.points and not one.experiment}
    rankings = leaderboards.rankings(several)
    return [
        _listed(dataset, by_dataset.get(dataset.pk), known, rankings.get(dataset.pk)) for dataset in datasets
    ]


def _listed(
    dataset: Dataset,
    course: DatasetCourse | None,
    known: Mapping[int, Overview],
    ranked: Ranks | None,
) -> ListedDataset:
    if course is None or not course.points:
        return ListedDataset(dataset, SafeString(""), None, "")
    is_low = course.direction == "minimize"
    comparable = sum(map(course.is_current, course.points))
    label = f"Best mean of {course.evaluator} so far, of {plural(comparable, 'comparable run')}"
    has_course = sum(map(len, course.courses)) >= LEAST_DRAWN
    spark = charts.sparkline(course.courses, label, lower_is_better=is_low) if has_course else SafeString("")
    best = (
        _of_experiment(course, known.get(course.experiment or 0)) if ranked is None else _of_several(ranked)
    )
    best = best or Best(course.best_variant)
    mean = course.best if best.mean is None else best.mean
    newest = course.versions[0] if course.versions else None
    since = newest if any(point.versions[0] != newest for point in course.points) else None
    return ListedDataset(
        dataset,
        spark,
        mean,
        label,
        course.evaluator,
        course.is_share,
        best.variant,
        best.told,
        best.is_open,
        best.but,
        since,
        _earlier(course),
    )


def _earlier(course: DatasetCourse) -> tuple[float, int] | None:
    """The best mean of an earlier version of the dataset, and that version, if it is better than all that compare.

    Means by another version of the evaluator are no such means: they may be on another scale.
    """
    if not course.versions or course.best is None:
        return None
    newest, evaluator = course.versions
    before = [
        (point.mean, point.versions[0])
        for point in course.points
        if point.versions[0] != newest and point.versions[1] == evaluator
    ]
    if not before:
        return None
    sign = -1 if course.direction == "minimize" else 1
    mean, version = max(before, key=lambda one: sign * one[0])
    return (mean, version) if sign * mean > sign * course.best else None


@dataclass(frozen=True)
class Best:
    """The best variant, with its mean among those it is ranked with, and what the ranking says of it."""

    variant: str
    mean: float | None = None
    told: str = ""
    is_open: bool = False
    but: str = ""


def _of_experiment(course: DatasetCourse, overview: Overview | None) -> Best | None:
    """The best variant of the one experiment; None if another evaluator decides there."""
    if overview is None or overview.primary is None or overview.primary.name != course.evaluator:
        return None
    what = f"experiment {overview.experiment.pk}"
    has_leader = computed(lambda: overview.has_leader, lambda: None, what)
    if has_leader is None or overview.comparison is None:
        return None
    figures = overview.comparison.figures
    ranking = figures.ranking
    if not ranking and not has_leader:
        return Best(course.best_variant, told="no clear difference", is_open=True)
    best = _best(ranking, course.best_variant)
    if best is None:
        return None
    lost = computed(lambda: _lost(figures, best.variant), list[str], f"the subsets of {what}")
    return Best(course.best_variant, told=best.told, is_open=best.is_open, but=_but(lost))


def _lost(figures: Figures, variant: str) -> list[str]:
    """The subsets on which a variant of an experiment is worse than its baseline."""
    index = next(n for n, side in enumerate(figures.sides) if side.run.variant == variant)
    return subsets.labels_lost(figures, index)


def _of_several(ranks: Ranks) -> Best | None:
    """The best of the variants of several experiments."""
    best = _best(ranks.ranking, "")
    return replace(best, but=_but(ranks.lost)) if best else None


def _but(lost: Sequence[str]) -> str:
    """Where the best variant is worse, as in the list of gates."""
    if not lost:
        return ""
    return f"but worse on {short_name(lost[0], NARROW) if len(lost) == 1 else plural(len(lost), 'subset')}"


def _best(ranking: Sequence[Ranked], variant: str) -> Best | None:
    """The best of a ranking, of equal ones this `variant`; None without a ranking."""
    if not ranking:
        return None
    best = next((one for one in ranking if one.side.run.variant == variant), ranking[0])
    level = [one for one in ranking if one.rank[0] == 1 and one is not best]
    if not level:
        told = f"best of {len(ranking)}" if len(ranking) > 1 else ""
        return Best(best.side.run.variant, best.mean, told)
    is_equal = len({one.mean for one in (best, *level)}) == 1
    others = short_name(level[0].side.run.variant, NARROW) if len(level) == 1 else f"{len(level)} others"
    told = f"level with {others}" if is_equal else f"not clearly better than {others}"
    return Best(best.side.run.variant, best.mean, told, is_open=True)
