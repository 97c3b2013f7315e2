"""The means of all runs on a dataset by one evaluator, over time, from stored summaries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from itertools import accumulate, groupby
from typing import Literal, Protocol

from django.db.models import Q, QuerySet

from evaluations.errors import Invalid
from evaluations.evaluators import versions
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.launches import states
from evaluations.models import Dataset, DatasetVersion, Evaluator, EvaluatorVersion, Experiment, Run, Scoring
from evaluations.scoring import summaries
from evaluations.statistics.intervals import Interval
from evaluations.values import Direction

from ..rows import computed
from .corrected_figures import corrected

MOST_POINTS = 500
Versions = tuple[int, int]  # version numbers of dataset and evaluator


@dataclass(frozen=True)
class Point:
    """One run. `line` names what it shares with other runs, `label` what differs, such as a prompt's version.

    `n` examples count, `unanswered` of them with the worst score; if the evaluator has none (`is_bound` is false), the
    unanswered ones are only counted, and missing in `n` and `mean`. A run that stopped early would have been asked
    `stopped_early_of`.
    """

    scoring: Scoring
    line: str
    label: str
    n: int
    unanswered: int
    mean: float
    interval: Interval | None
    stopped_early_of: int | None = None
    is_bound: bool = True

    @property
    def run(self) -> Run:
        return self.scoring.run

    @property
    def at(self) -> datetime:
        """When the run was made; it ends anew whenever another version scores it."""
        return self.run.created_at

    @property
    def experiment_id(self) -> int:
        return self.run.experiment_id

    @property
    def versions(self) -> Versions:
        return self.run.experiment.dataset_version, self.scoring.evaluator_version.number


@dataclass(frozen=True)
class ListedPoint:
    """A point, and whether it is one of those that the leaderboard ranks."""

    point: Point
    is_current: bool


@dataclass(frozen=True)
class Mark:
    """A new version of the dataset or the evaluator: later scores are not comparable with earlier ones."""

    at: datetime
    what: Literal["dataset", "evaluator"]
    version: int
    text: str


class DatedMean(Protocol):
    """The mean of a run, and the versions with which it was computed."""

    @property
    def mean(self) -> float: ...
    @property
    def versions(self) -> Versions: ...
    @property
    def experiment_id(self) -> int: ...


@dataclass(frozen=True)
class Course:
    """Means by one evaluator, oldest first."""

    direction: Direction
    points: Sequence[DatedMean]

    @cached_property
    def versions(self) -> Versions | None:
        """The versions that are ranked: the evaluator's newest, and the newest dataset version that it scored."""
        if not self.points:
            return None
        number = max(point.versions[1] for point in self.points)
        return max(point.versions for point in self.points if point.versions[1] == number)

    def is_current(self, point: DatedMean) -> bool:
        return point.versions == self.versions

    @property
    def best(self) -> float | None:
        """The best mean among those comparable with the newest."""
        means = [point.mean for point in self.points if self.is_current(point)]
        return (min if self.direction == "minimize" else max)(means, default=None)

    @property
    def courses(self) -> list[list[float]]:
        """The best mean after each experiment; a new list begins whenever the dataset or the evaluator changed.

        The runs of one experiment end in any order, so they are one step.
        """
        best = min if self.direction == "minimize" else max
        by_versions = (list(points) for _, points in groupby(self.points, lambda point: point.versions))
        steps = (
            [best(p.mean for p in points) for _, points in groupby(group, lambda point: point.experiment_id)]
            for group in by_versions
        )
        return [list(accumulate(means, best)) for means in steps]


@dataclass(frozen=True)
class Trend(Course):
    """A course with the run of each point; `failed` are runs whose mean cannot be computed."""

    points: Sequence[Point]
    dataset: Dataset
    evaluator: Evaluator
    marks: Sequence[Mark]
    failed: Sequence[Run] = ()

    @property
    def lines(self) -> dict[str, list[Point]]:
        """The points by line; the line with the newest point is first."""
        by_line: dict[str, list[Point]] = {}
        for point in reversed(self.points):
            by_line.setdefault(point.line, []).insert(0, point)
        return by_line

    @property
    def listed(self) -> list[ListedPoint]:
        return [ListedPoint(point, self.is_current(point)) for point in self.points]

    @property
    def outdated(self) -> list[Point]:
        """Runs that the newest version of the evaluator would make comparable, because they use the same examples."""
        newest = self.versions
        return [
            point
            for point in self.points
            if newest and point.versions[0] == newest[0] and point.versions < newest
        ]


def trend(dataset: Dataset, id_or_name: str = "") -> Trend | None:
    """The trend by an evaluator (id or name), by default the newest experiment's primary one; None without scores."""
    dataset_evaluators = evaluators(dataset)
    if not dataset_evaluators and not id_or_name:
        return None
    chosen = by_id_or_name(dataset_evaluators, id_or_name) if id_or_name else dataset_evaluators[0]
    if chosen is None:
        message = f"No run on this dataset has scores by “{id_or_name[:200]}”."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})
    scorings = _scorings(Q(run__experiment__dataset=dataset, evaluator_version__evaluator=chosen))
    return _trend(dataset, chosen, list(scorings[:MOST_POINTS]))


def of_several(evaluators_by_dataset: Mapping[int, int]) -> dict[int, Trend]:
    """By dataset (an id), its trend by this evaluator, without marks, in one query for all; none without scores."""
    if not evaluators_by_dataset:
        return {}
    found: dict[int, list[Scoring]] = {}
    for scoring in _scorings(scored_by(evaluators_by_dataset))[: MOST_POINTS * len(evaluators_by_dataset)]:
        found.setdefault(scoring.run.experiment.dataset_id, []).append(scoring)
    early = states.stopped_early([scoring.run for scorings in found.values() for scoring in scorings])
    return {dataset: _unmarked(scorings, early) for dataset, scorings in found.items()}


def scored_by(evaluators_by_dataset: Mapping[int, int]) -> Q:
    """The condition for scorings of each dataset by this evaluator."""
    condition = Q()
    for dataset, evaluator in evaluators_by_dataset.items():
        condition |= Q(run__experiment__dataset=dataset, evaluator_version__evaluator=evaluator)
    return condition


def evaluators(dataset: Dataset) -> list[Evaluator]:
    """The evaluators that scored a run on the dataset, the primary one of the newest experiment first."""
    scored = Scoring.objects.filter(LIVE, run__experiment__dataset=dataset, summary__isnull=False)
    used_evaluators = Evaluator.objects.filter(pk__in=scored.values("evaluator_version__evaluator")).order_by(
        "pk"
    )
    primary = primaries_of([dataset]).get(dataset.pk)
    return sorted(
        used_evaluators,
        key=lambda evaluator: (evaluator.deleted_at is not None, evaluator.pk != primary, evaluator.pk),
    )


LIVE = Q(run__deleted_at=None, run__experiment__deleted_at=None, run__for_gate=False)


def primaries_of(datasets: Iterable[Dataset]) -> dict[int, int]:
    """The primary evaluator of each dataset's newest experiment."""
    live = Experiment.objects.live().filter(dataset__in=list(datasets), primary__isnull=False)
    return dict(live.order_by("pk").values_list("dataset", "primary"))


def _scorings(condition: Q) -> QuerySet[Scoring]:
    """Completed scorings, newest first."""
    scorings = Scoring.objects.filter(LIVE, condition, summary__isnull=False)
    related = ("run__experiment__dataset", "run__prompt_version__prompt", "evaluator_version__evaluator")
    return scorings.select_related(*related).order_by("-run", "-evaluator_version__number")


def _trend(dataset: Dataset, evaluator: Evaluator, scorings: Sequence[Scoring]) -> Trend:
    if not scorings:
        return Trend("maximize", [], dataset, evaluator, [])
    found = _unmarked(scorings, states.stopped_early([scoring.run for scoring in scorings]))
    return replace(found, marks=_marks(dataset, evaluator, found.points))


def _unmarked(scorings: Sequence[Scoring], early: Mapping[int, int]) -> Trend:
    """The trend of one dataset and evaluator by at least one scoring, newest first."""
    newest: dict[int, Scoring] = {}
    for scoring in scorings:
        newest.setdefault(scoring.run_id, scoring)
    recipes = {scoring.evaluator_version_id: scoring.evaluator_version for scoring in newest.values()}
    compiled = {pk: Recipe.from_version(version) for pk, version in recipes.items()}
    failed: list[Run] = []
    points_or_none = [
        computed(
            partial(_point, scoring, compiled[scoring.evaluator_version_id], early.get(scoring.run_id)),
            partial(failed.append, scoring.run),
            f"run {scoring.run_id}",
        )
        for scoring in newest.values()
    ]
    points = sorted((point for point in points_or_none if point), key=lambda point: (point.at, point.run.pk))
    latest = max(recipes.values(), key=lambda version: version.number)
    direction, dataset = compiled[latest.pk].direction, scorings[0].run.experiment.dataset
    return Trend(direction, points, dataset, latest.evaluator, [], failed)


def _point(scoring: Scoring, recipe: Recipe, early_of: int | None) -> Point | None:
    figures, unanswered = corrected(scoring.summary, recipe)
    value, ends = summaries.compared(figures, recipe)
    if value is None:
        return None
    low, high = recipe.bounds
    is_bound = (low if recipe.direction == "maximize" else high) is not None
    about = *_names(scoring.run), figures["n"], unanswered
    return Point(scoring, *about, value, ends, early_of, is_bound)


def _names(run: Run) -> tuple[str, str]:
    """The line and the label of a run. Versions of one prompt on one model share a line; all others have their own."""
    version, model = run.prompt_version, run.about.get("model")
    if version is None:
        return run.variant, ""
    name = f"{version.prompt.name} · {model}" if isinstance(model, str) and model else version.prompt.name
    return name, f"v{version.number}"


def _marks(dataset: Dataset, evaluator: Evaluator, points: Sequence[Point]) -> list[Mark]:
    """The versions in use that appeared after the first point."""
    if not points:
        return []
    used = {point.versions[0] for point in points}, {point.versions[1] for point in points}
    later = [numbers - {min(numbers)} for numbers in used]
    changes = _dataset_marks(dataset, later[0]) + _evaluator_marks(evaluator, later[1])
    first, last = points[0].at, points[-1].at
    return sorted((mark for mark in changes if first < mark.at <= last), key=lambda mark: mark.at)


def _dataset_marks(dataset: Dataset, used: set[int]) -> list[Mark]:
    stored = DatasetVersion.objects.filter(dataset=dataset, number__in=used)
    return [
        Mark(figure.created_at, "dataset", figure.number, _joined(f"dataset v{figure.number}", figure.note))
        for figure in stored
    ]


def _evaluator_marks(evaluator: Evaluator, used: set[int]) -> list[Mark]:
    stored: list[EvaluatorVersion] = list(evaluator.versions.order_by("number"))
    older: list[EvaluatorVersion | None] = [None, *stored[:-1]]
    return [
        Mark(
            new.created_at,
            "evaluator",
            new.number,
            _joined(f"{evaluator.name} v{new.number}", _change(old, new)),
        )
        for old, new in zip(older, stored, strict=True)
        if new.number in used
    ]


def _change(old: EvaluatorVersion | None, new: EvaluatorVersion) -> str:
    changes = versions.differences(old, new) if old else []
    return str(changes[0]) if changes else ""


def _joined(name: str, change: str) -> str:
    return f"{name}: {change}" if change else name
