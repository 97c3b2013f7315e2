"""Datasets in lists: each with its best mean so far, which is drawn from a few experiments on."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons.over_time import courses
from evaluations.comparisons.over_time.courses import DatasetCourse
from evaluations.models import Dataset
from evaluations.numerals import plural

LEAST_DRAWN = 3  # steps from which a course is a line; the runs of an experiment are one


@dataclass(frozen=True)
class ListedDataset:
    """A dataset with its best mean so far by an evaluator over time, and the best of comparable runs.

    `label` describes both.
    """

    dataset: Dataset
    spark: SafeString
    best: float | None
    label: str
    evaluator: str = ""
    is_share: bool = False
    variant: str = ""


def listed(datasets: Sequence[Dataset]) -> list[ListedDataset]:
    by_dataset = courses.of_datasets(datasets)
    return [_listed(dataset, by_dataset.get(dataset.pk)) for dataset in datasets]


def _listed(dataset: Dataset, course: DatasetCourse | None) -> ListedDataset:
    if course is None or not course.points:
        return ListedDataset(dataset, SafeString(""), None, "")
    is_low = course.direction == "minimize"
    comparable = sum(map(course.is_current, course.points))
    label = f"Best mean of {course.evaluator} so far, of {plural(comparable, 'comparable run')}"
    has_course = sum(map(len, course.courses)) >= LEAST_DRAWN
    spark = charts.sparkline(course.courses, label, lower_is_better=is_low) if has_course else SafeString("")
    return ListedDataset(
        dataset, spark, course.best, label, course.evaluator, course.is_share, course.best_variant
    )
