"""Best means over time for lists of datasets, read as columns, without an object for each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from evaluations.evaluators.recipe import Recipe
from evaluations.models import Dataset, Evaluator, EvaluatorVersion, Scoring
from evaluations.scoring.summaries import Figures

from .corrected_figures import corrected
from .trends import LIVE, MOST_POINTS, Course, Versions, primaries_of


@dataclass(frozen=True)
class DatasetCourse(Course):
    """A course whose points have no runs."""

    evaluator: Evaluator


@dataclass(frozen=True)
class _Point:
    mean: float
    versions: Versions
    experiment_id: int


class _Row(NamedTuple):
    """The scoring of a run by one evaluator version, given by its id."""

    dataset: int
    dataset_version: int
    experiment: int
    run: int
    at: datetime
    evaluator_version: int
    figures: Figures


def of_datasets(datasets: Sequence[Dataset]) -> dict[int, DatasetCourse]:
    """The course of each dataset by the primary evaluator of its newest experiment; three queries in total."""
    primaries = primaries_of(datasets)
    if not primaries:
        return {}
    stored = EvaluatorVersion.objects.filter(evaluator__in=set(primaries.values()))
    versions = {version.pk: version for version in stored.select_related("evaluator")}
    by_dataset: dict[int, list[_Row]] = {}
    for row in _rows(primaries):
        by_dataset.setdefault(row.dataset, []).append(row)
    return {dataset: _course(rows, versions) for dataset, rows in by_dataset.items()}


def _rows(primaries: Mapping[int, int]) -> list[_Row]:
    """One row per run, by the newest version that scored it; `primaries` are evaluators by dataset."""
    condition = Q()
    for dataset, evaluator in primaries.items():
        condition |= Q(run__experiment__dataset=dataset, evaluator_version__evaluator=evaluator)
    scorings = Scoring.objects.filter(LIVE, condition, summary__isnull=False)
    newest_first = scorings.order_by("-run", "-evaluator_version__number").values_list(
        "run__experiment__dataset",
        "run__experiment__dataset_version",
        "run__experiment",
        "run",
        "run__created_at",
        "evaluator_version",
        "summary",
    )
    newest: dict[int, _Row] = {}
    for row in map(_Row._make, newest_first[: MOST_POINTS * len(primaries)]):
        newest.setdefault(row.run, row)
    return sorted(newest.values(), key=lambda row: (row.at, row.run))


def _course(rows: Sequence[_Row], versions: Mapping[int, EvaluatorVersion]) -> DatasetCourse:
    used = {pk: versions[pk] for pk in {row.evaluator_version for row in rows}}
    recipes = {pk: Recipe.from_version(version) for pk, version in used.items()}
    latest = max(used.values(), key=lambda version: version.number)
    means = ((row, corrected(row.figures, recipes[row.evaluator_version])[0]["mean"]) for row in rows)
    points = [
        _Point(mean, (row.dataset_version, used[row.evaluator_version].number), row.experiment)
        for row, mean in means
        if mean is not None
    ]
    return DatasetCourse(recipes[latest.pk].direction, points, latest.evaluator)
