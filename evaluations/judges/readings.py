"""How far evaluators are that score runs with the money of a launch: judges, and embeddings of a connection."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from evaluations.models import (
    Allowance,
    Budget,
    Evaluator,
    EvaluatorVersion,
    Job,
    Judging,
    Run,
    Scoring,
    Verdict,
)
from evaluations.prompts import money
from evaluations.values import Status

from . import judgings, opponents, paid, progress
from .progress import Progress

STOPPED = (Judging.Status.LIMIT, Judging.Status.CANCELLED, Judging.Status.FAILED)


@dataclass(frozen=True)
class Part:
    """How far an evaluator is with one run."""

    status: str
    done: int
    total: int
    problem: str = ""


@dataclass(frozen=True)
class Reading:
    """An evaluator that may score `runs` with the money of a budget: `parts` are those that it has begun.

    `cost` is what it paid for them, in millionths of millionths; None if no price is known.
    """

    evaluator: Evaluator
    runs: int
    parts: list[Part]
    cost: int | None

    @property
    def done(self) -> int:
        return sum(part.done for part in self.parts)

    @property
    def total(self) -> int:
        return sum(part.total for part in self.parts)

    @property
    def status(self) -> str:
        """running, stopped (at the limit, or by somebody), failed, completed, or waiting for answers."""
        statuses = {part.status for part in self.parts}
        for status in ("running", "failed", "limit", "cancelled"):
            if status in statuses:
                return status
        ended = [part for part in self.parts if part.status == Judging.Status.COMPLETED]
        return "completed" if len(ended) >= self.runs else "waiting"

    @property
    def is_stopped(self) -> bool:
        return self.status in STOPPED

    @property
    def problem(self) -> str:
        """Why a request of it failed; "" if none did."""
        return next((part.problem for part in self.parts if part.problem), "")


def of(budget: Budget) -> list[Reading]:
    """The evaluators with the money of a budget, and how far they are."""
    named = Allowance.objects.filter(budget=budget, run__deleted_at=None).order_by("pk")
    by_evaluator: dict[Evaluator, list[Allowance]] = {}
    for allowance in named.select_related("evaluator", "run__experiment"):
        by_evaluator.setdefault(allowance.evaluator, []).append(allowance)
    versions = {evaluator: paid.version_of(allowed[0]) for evaluator, allowed in by_evaluator.items()}
    judges = [e for e, version in versions.items() if version is None or paid.is_judge(version)]
    so_far = _judged(budget, judges)
    return [
        so_far.of(evaluator, [allowance.run_id for allowance in allowed])
        if version is None or paid.is_judge(version)
        else _bought_of(version, [allowance.run for allowance in allowed])
        for evaluator, allowed in by_evaluator.items()
        for version in [versions[evaluator]]
    ]


@dataclass(frozen=True)
class _Judged:
    """The newest requests to judges, by run and evaluator, and what all of them cost, by evaluator."""

    newest: dict[tuple[int, int], Judging]
    so_far: dict[int, Progress]
    costs: dict[int, int | None]

    def of(self, judge: Evaluator, runs: Sequence[int]) -> Reading:
        asked = [last for run in runs if (last := self.newest.get((run, judge.pk)))]
        return Reading(judge, len(runs), [self._part(judging) for judging in asked], self.costs.get(judge.pk))

    def _part(self, judging: Judging) -> Part:
        """A judge that read early, and has ended, waits for the rest of the answers."""
        is_early = judging.purpose == Judging.Purpose.EARLY
        waits = is_early and judging.status != Judging.Status.RUNNING
        known = self.so_far[judging.pk]
        problem = str(judging.error["message"]) if judging.error else ""
        return Part("waiting" if waits else judging.status, known.done, known.total, problem)


def _judged(budget: Budget, judges: Sequence[Evaluator]) -> _Judged:
    asked = Judging.objects.filter(
        run__allowances__budget=budget,
        version__evaluator__in=judges,
        purpose__in=judgings.OF_COLUMNS,
    )
    newest = {
        (judging.run_id, judging.version.evaluator_id): judging
        for judging in asked.select_related("version").order_by("pk").distinct()
        if judging.version is not None
    }
    paid = Verdict.objects.filter(judging__in=asked, cached=False).order_by()
    costs = dict(paid.values_list("version__evaluator").annotate(Sum("cost")))
    return _Judged(newest, progress.of_many(list(newest.values())), costs)


def _bought_of(version: EvaluatorVersion, runs: Sequence[Run]) -> Reading:
    scored = Scoring.objects.filter(run__in=runs, evaluator_version=version).exclude(usage=None)
    costs = [scoring.usage["cost"] for scoring in scored if scoring.usage["cost"] is not None]
    cost = round(sum(costs) * 10**money.COST_DECIMALS) if costs else None
    begun = [run for run in runs if run.status in opponents.READY]
    return Reading(version.evaluator, len(runs), [bought(run, version) for run in begun], cost)


def bought(run: Run, version: EvaluatorVersion) -> Part:
    """How far embeddings are with the answers of a run."""
    scoring = Scoring.objects.filter(run=run, evaluator_version=version).select_related("job").first()
    if scoring is None or scoring.summary is None:
        is_cancelled = (
            scoring is not None and scoring.job is not None and scoring.job.state == Job.State.CANCELLED
        )
        return Part(Judging.Status.CANCELLED if is_cancelled else Judging.Status.RUNNING, 0, run.output_count)
    counts = scoring.summary["counts"]
    left = counts.get(Status.NOT_SENT.word, 0)
    status = Judging.Status.LIMIT if left else Judging.Status.COMPLETED
    return Part(status, max(0, run.output_count - left), run.output_count)
