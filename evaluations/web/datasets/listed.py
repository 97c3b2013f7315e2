"""Datasets in lists: each with its best mean so far, which is drawn from a few experiments on."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons.over_time import courses
from evaluations.comparisons.over_time.courses import DatasetCourse
from evaluations.comparisons.overviews import Overview
from evaluations.comparisons.rows import computed
from evaluations.models import Dataset
from evaluations.numerals import plural

from ..page_tools import series
from ..page_tools.request import HttpRequest
from ..page_tools.series import Line

LEAST_DRAWN = 3  # steps from which a course is a line; the runs of an experiment are one


@dataclass(frozen=True)
class ListedDataset:
    """A dataset with its best mean so far by an evaluator over time, and the best of comparable runs.

    `label` describes both. `is_open`: those runs are compared in one experiment, and none of its variants is clearly
    better than all others.
    """

    dataset: Dataset
    spark: SafeString
    best: float | None
    label: str
    evaluator: str = ""
    is_share: bool = False
    variant: str = ""
    is_open: bool = False


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
    """`shown` are the experiments on the same page: their verdicts are known, and a mean must not say more."""
    by_dataset = courses.of_datasets(datasets)
    overviews = {overview.experiment.pk: overview for overview in shown}
    return [_listed(dataset, by_dataset.get(dataset.pk), overviews) for dataset in datasets]


def _listed(
    dataset: Dataset, course: DatasetCourse | None, overviews: Mapping[int, Overview]
) -> ListedDataset:
    if course is None or not course.points:
        return ListedDataset(dataset, SafeString(""), None, "")
    is_low = course.direction == "minimize"
    comparable = sum(map(course.is_current, course.points))
    label = f"Best mean of {course.evaluator} so far, of {plural(comparable, 'comparable run')}"
    has_course = sum(map(len, course.courses)) >= LEAST_DRAWN
    spark = charts.sparkline(course.courses, label, lower_is_better=is_low) if has_course else SafeString("")
    overview = overviews.get(course.experiment) if course.experiment else None
    return ListedDataset(
        dataset,
        spark,
        course.best,
        label,
        course.evaluator,
        course.is_share,
        course.best_variant,
        is_open=overview is not None and _is_open(overview, course),
    )


def _is_open(overview: Overview, course: DatasetCourse) -> bool:
    """Whether the experiment has no clear leader by the evaluator of the course; false where it is not compared."""
    is_same = overview.primary is not None and overview.primary.name == course.evaluator
    has_leader = computed(lambda: overview.has_leader, lambda: None, f"experiment {overview.experiment.pk}")
    return is_same and has_leader is False
