"""The judges that read answers of runs now: how far each is, how fast, and whether it waits for its server."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import QuerySet

from evaluations import leases, work_rates
from evaluations.models import EvaluatorVersion, Judging, Run

from . import judgings, progress
from .progress import Progress


@dataclass(frozen=True)
class Part:
    """A judge's questions about one run."""

    judging: Judging
    progress: Progress

    @property
    def run(self) -> Run:
        return self.judging.run

    @property
    def started_at(self) -> datetime | None:
        """When a worker began with it."""
        return min((job.started_at for job in self.judging.jobs.all() if job.started_at), default=None)


@dataclass(frozen=True)
class AtWork:
    """A judge and what it reads now, in questions: for each answer one, or more with several samples or both orders.

    `rests_until` is when its server wants to be asked again.
    """

    version: EvaluatorVersion
    parts: list[Part]
    rests_until: datetime | None

    @property
    def done(self) -> int:
        return sum(part.progress.done for part in self.parts)

    @property
    def total(self) -> int:
        return sum(part.progress.total for part in self.parts)

    @property
    def failed(self) -> int:
        return sum(part.progress.failed for part in self.parts)

    @property
    def unit(self) -> str:
        """What is counted: answers, if each of them is one question."""
        return "answer" if self.total == sum(part.judging.size for part in self.parts) else "question"

    @property
    def has_begun(self) -> bool:
        return any(part.started_at for part in self.parts)

    @property
    def since(self) -> datetime:
        return max(part.judging.created_at for part in self.parts)

    @property
    def rate(self) -> float | None:
        """Questions a second; None before that can be told."""
        begun = [at for part in self.parts if (at := part.started_at)]
        before = sum(part.progress.before + part.progress.cached for part in self.parts)
        return work_rates.rate(self.done, self.total, min(begun, default=None), min(before, self.done))

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.done) / self.rate if self.rate else None


def of_runs(runs: Sequence[Run]) -> list[AtWork]:
    """The judges that read answers of these runs, oldest request first: two queries without any, some more with."""
    return _at_work(_running().filter(run__in=runs)) if runs else []


def everywhere(most: int) -> list[AtWork]:
    """The judges that read answers on the whole site, of `most` requests."""
    return _at_work(_running()[:most])


def _running() -> QuerySet[Judging]:
    such = Judging.objects.filter(
        status=Judging.Status.RUNNING, version__isnull=False, purpose__in=judgings.OF_COLUMNS
    )
    related = ("version__evaluator", "connection__server_limit", "run__experiment", "run__project")
    return such.select_related(*related).prefetch_related("jobs").order_by("pk")


def _at_work(running: QuerySet[Judging]) -> list[AtWork]:
    found = list(running)
    so_far = progress.of_many(found) if found else {}
    parts: dict[tuple[int, int], list[Part]] = {}
    for judging in found:
        key = judging.run.experiment_id, judging.version_id or 0
        parts.setdefault(key, []).append(Part(judging, so_far[judging.pk]))
    return [
        AtWork(version, of_one, _rests_until(of_one))
        for of_one in parts.values()
        if (version := of_one[0].judging.version)
    ]


def _rests_until(parts: Sequence[Part]) -> datetime | None:
    """When the last of their servers may be asked again; None if one of them may be asked now."""
    now = leases.now()
    rests = [_rest(part.judging) for part in parts]
    return min(rests) if rests and min(rests) > now else None


def _rest(judging: Judging) -> datetime:
    limit = getattr(judging.connection, "server_limit", None)
    return datetime.fromtimestamp(limit.resume_at if limit else 0.0, UTC)
