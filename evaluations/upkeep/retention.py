"""Retention: after a project's number of days, deletes runs that have ended and datasets that nobody used.

Off until an administrator sets the days. Deleted objects can be restored within `owned.UNDO`, as if a person had
deleted them; a restore counts as a use. Objects that others need are kept (`reasons_to_keep`).
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from evaluations import leases, owned
from evaluations.access import audit
from evaluations.datasets import datasets
from evaluations.engine import chores
from evaluations.errors import Conflict
from evaluations.experiments import runs
from evaluations.models import Dataset, Experiment, Project, Run

from . import reasons_to_keep, uses

CHORE = "retention"  # the name of the chore in the audit log and of its pulse
EVERY = timedelta(minutes=10)
TURN = 5.0  # seconds of a sweep
MOST_DAYS = 3_650
SHOWN = 10
MOST_RESTORABLE = 50


def _live_runs(project: Project) -> QuerySet[Run]:
    shown = Run.objects.live().filter(project=project, experiment__deleted_at=None)
    return shown.select_related("experiment")


def _live_datasets(project: Project) -> QuerySet[Dataset]:
    return Dataset.objects.live().filter(project=project)


@dataclass(frozen=True, repr=False)
class Rule:
    """The rule for runs or for datasets; `setting` is the project's field with the number of days.

    At most `batch` objects of a project are deleted in a turn. `dataset` is the lookup from an object to its dataset.
    """

    noun: str
    setting: str
    batch: int
    live: Callable[[Project], QuerySet[Any]]
    last_uses: Callable[[QuerySet[Any]], uses.Uses]
    reasons: Callable[[QuerySet[Any], datetime], reasons_to_keep.Reasons]
    delete: Callable[[Any], None]
    dataset: str = ""


RUNS = Rule(
    "run",
    "delete_runs_after_days",
    200,
    _live_runs,
    uses.of_runs,
    reasons_to_keep.of_runs,
    runs.delete,
    dataset="experiment__dataset",
)
DATASETS = Rule(
    "dataset",
    "delete_datasets_after_days",
    20,
    _live_datasets,
    uses.of_datasets,
    reasons_to_keep.of_datasets,
    datasets.delete,
)
RULES = (DATASETS, RUNS)


def change(project: Project, days: Mapping[str, int | None]) -> Project:
    """Set some of the settings by name; None turns a rule off."""
    audit.note(**days)
    Project.objects.filter(pk=project.pk).update(**days)
    for setting, value in days.items():
        setattr(project, setting, value)
    return project


# ---- finding old objects ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Aged:
    """When an object was last used, and the reason to keep it, "" if there is none."""

    pk: int
    last_used: datetime
    reason: str = ""


@dataclass(frozen=True)
class Survey:
    """The objects older than the rule's days, oldest first, and when the next one reaches that age."""

    due: list[Aged]
    kept_things: list[Aged]
    next_at: datetime | None


def survey(rule: Rule, objects: QuerySet[Any], days: int) -> Survey:
    age = timedelta(days=days)
    before = leases.now() - age
    reasons = rule.reasons(objects, before)
    aged = [
        Aged(pk, last_used, reasons.get(pk, ""))
        for pk, last_used in sorted(rule.last_uses(objects).items(), key=itemgetter(1))
    ]
    old = [candidate for candidate in aged if candidate.last_used < before]
    following = (candidate.last_used + age for candidate in aged[len(old) :] if not candidate.reason)
    return Survey(
        [candidate for candidate in old if not candidate.reason],
        [candidate for candidate in old if candidate.reason],
        next(following, None),
    )


def candidates(rule: Rule, project: Project, dataset_days: int | None) -> QuerySet[Any]:
    """The objects to check, without runs whose dataset is deleted anyway and restored with them."""
    objects = rule.live(project)
    if not rule.dataset or dataset_days is None:
        return objects
    leaving = survey(DATASETS, DATASETS.live(project), dataset_days).due
    return objects.exclude(**{f"{rule.dataset}__in": [candidate.pk for candidate in leaving]})


# ---- the preview -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PreviewRow:
    """An object in the preview."""

    target: Any
    last_used: datetime
    reason: str


@dataclass(frozen=True)
class Preview:
    """The objects that a rule of `days` would delete now and would keep, with the first ones of each.

    `experiments` and `runs` count objects deleted along with datasets.
    """

    days: int
    survey: Survey
    first: list[PreviewRow]
    first_kept: list[PreviewRow]
    experiments: int
    runs: int

    @property
    def count(self) -> int:
        return len(self.survey.due)

    @property
    def kept_count(self) -> int:
        return len(self.survey.kept_things)


@dataclass(frozen=True)
class Plan:
    """The previews of a project's settings, or of tried ones; None for a rule that is off."""

    delete_runs_after_days: int | None
    delete_datasets_after_days: int | None
    runs: Preview | None
    datasets: Preview | None


def plan(project: Project, tried: Mapping[str, int | None]) -> Plan:
    """The previews of a project's settings, with some replaced by `tried` ones. Nothing is changed."""
    run_days, dataset_days = (
        tried.get(rule.setting, getattr(project, rule.setting)) for rule in (RUNS, DATASETS)
    )
    of_runs, of_datasets = (
        None if days is None else _preview(rule, candidates(rule, project, dataset_days), days)
        for rule, days in ((RUNS, run_days), (DATASETS, dataset_days))
    )
    return Plan(run_days, dataset_days, of_runs, of_datasets)


def _preview(rule: Rule, objects: QuerySet[Any], days: int) -> Preview:
    result = survey(rule, objects, days)
    leaving = [] if rule.dataset else [candidate.pk for candidate in result.due]
    deleted_experiments = Experiment.objects.live().filter(dataset__in=leaving)
    return Preview(
        days,
        result,
        _shown(objects, result.due),
        _shown(objects, result.kept_things),
        deleted_experiments.count(),
        Run.objects.live().filter(experiment__in=deleted_experiments).count(),
    )


def _shown(objects: QuerySet[Any], aged: Sequence[Aged]) -> list[PreviewRow]:
    first = aged[:SHOWN]
    by_id = objects.in_bulk([candidate.pk for candidate in first])
    return [
        PreviewRow(by_id[candidate.pk], candidate.last_used, candidate.reason)
        for candidate in first
        if candidate.pk in by_id
    ]


def restorable(project: Project) -> list[Run | Dataset]:
    """The runs and datasets that people or retention deleted in the last 7 days, newest first; at most 50."""
    conditions = {"project": project, "deleted_at__gt": leases.now() - owned.UNDO}
    deleted_runs = Run.objects.filter(experiment__deleted_at=None, **conditions)
    newest_first: Iterable[QuerySet[Any]] = (
        rows.order_by("-deleted_at")[:MOST_RESTORABLE]
        for rows in (Dataset.objects.filter(**conditions), deleted_runs.select_related("experiment"))
    )
    deleted = [row for objects in newest_first for row in objects]
    return sorted(deleted, key=lambda row: row.deleted_at, reverse=True)[:MOST_RESTORABLE]


# ---- deleting ----------------------------------------------------------------------------------------------


def delete_old() -> None:
    """Delete a batch in each project, every ten minutes, for a turn; a failure does not stop the others.

    A project takes some forty queries, so a turn is not enough for thousands: they are looked at in any order.
    """
    if leases.due(CHORE, EVERY):
        chores.run_each(_batches(time.monotonic() + TURN))


def _batches(until: float) -> Iterator[partial[None]]:
    off = {rule.setting: None for rule in RULES}
    projects = list(Project.objects.filter(deleted_at=None).exclude(**off))
    random.shuffle(projects)
    for project in projects:
        if time.monotonic() > until:
            return
        for rule in RULES:
            if getattr(project, rule.setting) is not None:
                yield partial(_delete_batch, rule, project)


def _delete_batch(rule: Rule, project: Project) -> None:
    days = getattr(project, rule.setting)
    objects = candidates(rule, project, project.delete_datasets_after_days)
    due = survey(rule, objects, days).due[: rule.batch]
    chores.run_each(partial(_delete, rule, project, days, candidate.pk) for candidate in due)


def _delete(rule: Rule, project: Project, days: int, pk: int) -> None:
    """Delete an object, unless it was used or the setting was changed meanwhile."""
    objects = rule.live(project).filter(pk=pk, **{f"project__{rule.setting}": days})
    with suppress(Conflict), transaction.atomic():
        for row in objects:
            owned.hold(row)
            if survey(rule, objects, days).due:
                rule.delete(row)
                audit.record_chore(CHORE, f"{rule.noun}-delete", row, days=days)
