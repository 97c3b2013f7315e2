"""Launches: prompt versions answer the examples of an experiment, and the runs they make are scored."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluations import leases, owned
from evaluations.access import limits
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid
from evaluations.experiments import runs
from evaluations.models import (
    Answer,
    Budget,
    Connection,
    Experiment,
    Generation,
    Job,
    Launch,
    Output,
    PromptVersion,
    Run,
)
from evaluations.prompts import ledger, prices, rendering
from evaluations.prompts.content import Content, check

from . import order

MOST_RUNS = 50


@dataclass(frozen=True)
class Variant:
    """A prompt version under a name, with a model and parameters of its own where they are given."""

    version: PromptVersion
    name: str = ""
    model: str = ""
    parameters: dict[str, Any] | None = None

    @property
    def content(self) -> Content:
        content = Content.from_version(self.version)
        parameters = content.parameters | (self.parameters or {})
        return replace(content, model=self.model or content.model, parameters=parameters)

    @property
    def label(self) -> str:
        return self.name.strip() or f"{self.version}{f' {self.model}' if self.model else ''}"[:200]

    def about(self) -> dict[str, Any]:
        content = self.content
        return {
            "prompt": self.version.prompt_id,
            "prompt_version": self.version.number,
            "model": content.model,
            "parameters": content.parameters,
        }


@dataclass(frozen=True)
class Plan:
    """What a launch does beside its variants. `budget` is in millionths of millionths of the currency.

    A `size` of None asks all examples.
    """

    repetitions: int = 1
    budget: int | None = None
    max_calls: int | None = None
    size: int | None = None
    seed: int | None = None
    tolerated: float = 0.05
    cache: bool = True


# ---- beginning ---------------------------------------------------------------------------------------------


def create(experiment: Experiment, user: User | None, variants: Sequence[Variant], plan: Plan) -> Launch:
    """Begin to generate; nothing is stored where a variant cannot be asked."""
    _check_names(variants, plan)
    connections = [_checked(experiment, number, variant, plan) for number, variant in enumerate(variants)]
    limits.require_room(experiment.project)
    with transaction.atomic():
        owned.hold(experiment)
        launch = _store(experiment, user, plan)
        for repetition in range(1, plan.repetitions + 1):
            for variant, connection in zip(variants, connections, strict=True):
                _begin_run(launch, user, variant, connection, repetition)
    return launch


def _check_names(variants: Sequence[Variant], plan: Plan) -> None:
    if not variants or len(variants) * plan.repetitions > MOST_RUNS:
        raise _invalid("variants", f"A launch has 1 to {MOST_RUNS} runs: variants times repetitions.")
    if len({variant.label for variant in variants}) < len(variants):
        raise _invalid("variants", "Every variant of a launch needs a name of its own.")


def _checked(experiment: Experiment, number: int, variant: Variant, plan: Plan) -> Connection:
    """The connection that answers; raises `Invalid` naming the variant where nothing could be sent."""
    content, place = check(variant.content), f"variants/{number}"
    connection = content.connection or experiment.project.default_connection
    if connection is None:
        raise _invalid(place, "The prompt names no connection, and the project has none.")
    if not content.model:
        raise _invalid(place, "The prompt names no model; name one here.")
    rendering.places(content.messages, experiment.dataset)
    if plan.budget is not None or experiment.project.monthly_limit is not None:
        _check_price(connection, content, place)
    return connection


def _check_price(connection: Connection, content: Content, place: str) -> None:
    ledger.most_tokens(b"", content.parameters)
    if prices.rates(connection, content.model, timezone.now().date()) is None:
        message = f"{connection.name} has no price for {content.model}, so its cost cannot be limited."
        raise Invalid(
            "price_required", message, fields={place: [message]}, hint="Add one, or send max_calls."
        )


def _invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_launch", message, fields={field: [message]})


def _store(experiment: Experiment, user: User | None, plan: Plan) -> Launch:
    every = experiment.examples.count()
    size = every if plan.size is None else plan.size
    if size > every:
        raise _invalid("sample/size", f"The dataset has {every:,} examples.")
    budget = Budget.objects.create(project=experiment.project, limit=plan.budget, max_calls=plan.max_calls)
    return Launch.objects.create(
        project=experiment.project,
        created_by=user,
        experiment=experiment,
        budget=budget,
        seed=secrets.randbits(32) if plan.seed is None else plan.seed,
        size=size,
        repetitions=plan.repetitions,
        tolerated=plan.tolerated,
        cache=plan.cache,
        started_at=leases.now(),
    )


def _begin_run(
    launch: Launch, user: User | None, variant: Variant, connection: Connection, repetition: int
) -> None:
    run = runs.create(launch.experiment, user, variant.label, start=False, about=variant.about())
    Generation.objects.create(
        run=run,
        launch=launch,
        prompt_version=variant.version,
        connection=connection,
        model=variant.content.model,
        parameters=variant.content.parameters,
        repetition=repetition,
    )
    _open(run, launch)


def _open(run: Run, launch: Launch) -> None:
    """Let workers generate what the run lacks; a run that lacks nothing is scored."""
    lacking = order.unanswered(run, order.positions(launch))
    if not lacking:
        runs.score(run)
        return
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.GENERATING,
        queued_at=leases.now(),
        started_at=None,
        finished_at=None,
        error=None,
        usage=None,
    )
    queue.add_job(run, f"{Job.GENERATE}{run.generation.connection_id}", lacking)


# ---- ending and going on -----------------------------------------------------------------------------------


def stop(launch: Launch, status: str, error: dict[str, Any] | None = None) -> bool:
    """End the generation of all runs; what was answered stays. False where the launch had stopped already."""
    with transaction.atomic():
        going = Launch.objects.filter(pk=launch.pk, status=Launch.Status.RUNNING)
        if not going.update(status=status, finished_at=leases.now()):
            return False
        ended = Run.Status.FAILED if status == Launch.Status.FAILED else Run.Status.CANCELLED
        for run in _generating(launch).select_for_update():
            queue.call_off(run)
            Run.objects.filter(pk=run.pk).update(status=ended, finished_at=leases.now(), error=error)
    return True


def _runs(launch: Launch) -> QuerySet[Run]:
    return Run.objects.filter(generation__launch=launch, deleted_at=None).order_by("pk")


def _generating(launch: Launch) -> QuerySet[Run]:
    return _runs(launch).filter(status=Run.Status.GENERATING)


def cancel(launch: Launch) -> Launch:
    """Ask nothing more. Answers are kept, and `resume` continues from there."""
    if not _generating(launch).exists() or not stop(launch, Launch.Status.CANCELLED):
        raise Conflict("launch_not_running", "The launch generates nothing; there is nothing to cancel.")
    launch.refresh_from_db()
    return launch


def resume(launch: Launch, budget: int | None = None) -> Launch:
    """Generate what a stopped launch lacks, with another budget where one is given. No answer is paid twice.

    A launch that failed asks again where answers failed.
    """
    limits.require_room(launch.project)
    with transaction.atomic():
        owned.hold(launch.experiment)
        lacking = list(_runs(launch).filter(status__in=(Run.Status.CANCELLED, Run.Status.FAILED)))
        if not lacking or _generating(launch).exists():
            raise Conflict("launch_not_stopped", "The launch has not stopped; there is nothing to continue.")
        Launch.objects.filter(pk=launch.pk).update(status=Launch.Status.RUNNING, finished_at=None)
        if budget is not None:
            Budget.objects.filter(pk=launch.budget_id).update(limit=budget)
        for run in lacking:
            _require_server(run.generation)
            if launch.status == Launch.Status.FAILED:
                _forget_failures(run)
            _open(run, launch)
    launch.refresh_from_db()
    return launch


def _forget_failures(run: Run) -> None:
    """Ask the examples again whose answers failed."""
    failed = Output.objects.filter(run=run, error__isnull=False)
    Answer.objects.filter(run=run, position__in=failed.values("position")).delete()
    failed.delete()


def _require_server(generation: Generation) -> None:
    if generation.connection_id is None or generation.prompt_version_id is None:
        message = f"The prompt or the connection of {generation.run} was removed for good."
        raise Conflict("connection_removed", message, hint="Start a new launch.")


# ---- looking -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Progress:
    """Answers of all runs of a launch, failed ones too."""

    done: int
    total: int


@dataclass(frozen=True)
class Look:
    """How far a launch is; `errors` counts failed answers by their code."""

    runs: list[int]
    status: str
    progress: Progress
    errors: Counter[str]


def look(launch: Launch) -> Look:
    launched = list(_runs(launch))
    done = Output.objects.filter(run__in=launched).count()
    errors = sum((failures(run) for run in launched), Counter[str]())
    return Look(
        [run.pk for run in launched],
        _status(launch, launched),
        Progress(done, launch.size * len(launched)),
        errors,
    )


def _status(launch: Launch, launched: Sequence[Run]) -> str:
    """`completed` when everything is generated and scored."""
    if launch.status != Launch.Status.RUNNING or any(run.status in Run.OPEN for run in launched):
        return launch.status
    cancelled = any(run.status == Run.Status.CANCELLED for run in launched)
    return Launch.Status.CANCELLED if cancelled else Launch.Status.COMPLETED


def failures(run: Run) -> Counter[str]:
    """How many answers of a run failed, by the code of their error."""
    failed = Output.objects.filter(run=run, error__isnull=False).values_list("error", flat=True)
    return Counter(error.partition(":")[0] for error in failed.iterator())
