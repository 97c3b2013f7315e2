"""Best means over time for lists of datasets, read as columns, without an object for each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import NamedTuple

from evaluations.evaluators.recipe import MOST_RECIPES, Recipe
from evaluations.models import Dataset, EvaluatorVersion, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.scoring.summaries import Figures, compared

from ..rows import computed
from .corrected_figures import corrected
from .trends import LIVE, MOST_POINTS, Course, Versions, primaries_of, scored_by


@dataclass(frozen=True)
class DatasetCourse(Course):
    """A course whose points have no runs; of its evaluator it has id and name. Means of `is_share` are per cent."""

    points: "Sequence[_Point]"
    evaluator_id: int
    evaluator: str
    is_share: bool = False

    @property
    def best_variant(self) -> str:
        """The variant with the best mean; "" if there is none."""
        best = self.best
        return next((p.variant for p in self.points if self.is_current(p) and p.mean == best), "")

    @property
    def experiment(self) -> int | None:
        """The experiment of all means comparable with the newest; None if they are of several."""
        found = {point.experiment_id for point in self.points if self.is_current(point)}
        return found.pop() if len(found) == 1 else None


@dataclass(frozen=True)
class _Point:
    mean: float
    versions: Versions
    experiment_id: int
    variant: str


class _Row(NamedTuple):
    """The scoring of a run by one evaluator version, given by its id and its creation."""

    dataset: int
    dataset_version: int
    experiment: int
    run: int
    variant: str
    at: datetime
    evaluator_id: int
    evaluator: str
    number: int
    evaluator_version: int
    version_created_at: datetime
    figures: Figures

    @property
    def stamp(self) -> tuple[int, datetime]:
        """The evaluator version; its id alone may be another's in a restored backup."""
        return self.evaluator_version, self.version_created_at


def of_datasets(datasets: Sequence[Dataset]) -> dict[int, DatasetCourse]:
    """The course of each dataset by the primary evaluator of its newest experiment.

    Takes two queries, and a third for evaluator versions that this process has not read yet.
    """
    primaries = primaries_of(datasets)
    if not primaries:
        return {}
    by_dataset: dict[int, list[_Row]] = {}
    for row in _rows(primaries):
        by_dataset.setdefault(row.dataset, []).append(row)
    recipes = _recipes({row.stamp for rows in by_dataset.values() for row in rows})
    return {
        dataset: computed(partial(_course, rows, recipes), partial(_failed, rows), f"dataset {dataset}")
        for dataset, rows in by_dataset.items()
    }


def _failed(rows: Sequence[_Row]) -> DatasetCourse:
    latest = max(rows, key=lambda row: row.number)
    return DatasetCourse("maximize", [], latest.evaluator_id, latest.evaluator)


def _rows(primaries: Mapping[int, int]) -> list[_Row]:
    """One row per run, by the newest version that scored it; `primaries` are evaluators by dataset."""
    scorings = Scoring.objects.filter(LIVE, scored_by(primaries), summary__isnull=False)
    newest_first = scorings.order_by("-run", "-evaluator_version__number").values_list(
        "run__experiment__dataset",
        "run__experiment__dataset_version",
        "run__experiment",
        "run",
        "run__variant",
        "run__created_at",
        "evaluator_version__evaluator",
        "evaluator_version__evaluator__name",
        "evaluator_version__number",
        "evaluator_version",
        "evaluator_version__created_at",
        "summary",
    )
    newest: dict[int, _Row] = {}
    for row in map(_Row._make, newest_first[: MOST_POINTS * len(primaries)]):
        newest.setdefault(row.run, row)
    return sorted(newest.values(), key=lambda row: (row.at, row.run))


def _recipes(stamps: set[tuple[int, datetime]]) -> dict[int, Recipe]:
    """The compiled evaluator versions by id; versions never change."""
    known_recipes = process_cache.get_many(stamps)
    unread = [pk for pk, at in stamps if (pk, at) not in known_recipes]
    if unread:
        versions = EvaluatorVersion.objects.filter(pk__in=unread)
        read = {(version.pk, version.created_at): Recipe.from_version(version) for version in versions}
        process_cache.put_many(read)
        known_recipes |= read
    return {pk: recipe for (pk, _), recipe in known_recipes.items()}


process_cache: ProcessCache[tuple[int, datetime], Recipe] = ProcessCache("evaluators in trends", MOST_RECIPES)


def _value(figures: Figures, recipe: Recipe) -> float | None:
    return compared(corrected(figures, recipe)[0], recipe)[0]


def _course(rows: Sequence[_Row], recipes: Mapping[int, Recipe]) -> DatasetCourse:
    latest = max(rows, key=lambda row: row.number)
    means = ((row, _value(row.figures, recipes[row.evaluator_version])) for row in rows)
    points = [
        _Point(mean, (row.dataset_version, row.number), row.experiment, row.variant)
        for row, mean in means
        if mean is not None
    ]
    recipe = recipes[latest.evaluator_version]
    return DatasetCourse(recipe.direction, points, latest.evaluator_id, latest.evaluator, recipe.is_per_cent)
