"""Launches: prompt versions answer the examples of an experiment, and the resulting runs are scored."""

import secrets
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from evaluations import leases, owned
from evaluations.access import limits
from evaluations.datasets import bitmaps, splits
from evaluations.engine import queue
from evaluations.errors import Conflict
from evaluations.experiments import asked, experiments, runs
from evaluations.models import (
    Answer,
    Budget,
    Connection,
    Experiment,
    Generation,
    Job,
    Launch,
    Output,
    Run,
)
from evaluations.prompts import ledger, prices
from evaluations.scoring import coverage
from evaluations.webhooks import events

from . import baselines, order, plans, states, stopping
from .plans import Plan, Variant

# ---- starting ----------------------------------------------------------------------------------------------


def create(experiment: Experiment, user: User | None, variants: Sequence[Variant], plan: Plan) -> Launch:
    """Start a launch; nothing is stored if a variant cannot be asked."""
    connections = plans.check(experiment.project, experiment.dataset, variants, plan)
    limits.require_room(experiment.project)
    with transaction.atomic():
        owned.hold(experiment)
        if not plan.for_gate:
            baselines.settle(experiment, variants, plan.baseline)
        launch = _store(experiment, user, variants, plan)
        for repetition in range(1, plan.repetitions + 1):
            for variant, connection in zip(variants, connections, strict=True):
                run = runs.create(
                    experiment,
                    user,
                    variant.label,
                    start=False,
                    about=variant.about(),
                    for_gate=plan.for_gate,
                )
                _begin_run(launch, run, variant, connection, repetition)
    return launch


def _store(experiment: Experiment, user: User | None, variants: Sequence[Variant], plan: Plan) -> Launch:
    names = [variant.label for variant in variants]
    stop = None if plan.margin is None else stopping.settings_for(experiment, names, plan.margin)
    version = experiment.dataset_version
    size = plans.size_of(plan, experiment.dataset, version)
    budget = Budget.objects.create(project=experiment.project, limit=plan.budget, max_calls=plan.max_calls)
    return Launch.objects.create(
        project=experiment.project,
        created_by=user,
        experiment=experiment,
        budget=budget,
        status=Launch.Status.ESTIMATING if plan.pilot else Launch.Status.RUNNING,
        seed=secrets.randbits(32) if plan.seed is None else plan.seed,
        size=size,
        split=plan.split,
        rows=bitmaps.packed(splits.frozen(plan.split, version)) if plan.split else None,
        repetitions=plan.repetitions,
        tolerated=plan.tolerated,
        cache=plan.cache,
        stop=stop,
        started_at=leases.now(),
    )


def _begin_run(launch: Launch, run: Run, variant: Variant, connection: Connection, repetition: int) -> None:
    if launch.split or launch.size < launch.experiment.examples.count():
        run.split, run.asked_rows = launch.split, bitmaps.packed(order.positions(launch))
        run.save(update_fields=["split", "asked_rows"])
    generation = Generation(
        run=run,
        launch=launch,
        prompt_version=variant.version,
        connection=connection,
        model=variant.content.model,
        parameters=variant.content.parameters,
        repetition=repetition,
    )
    prices.freeze(generation)
    generation.save(force_insert=True)
    open_run(run, launch)


def open_run(run: Run, launch: Launch) -> None:
    """Queue the missing answers of a run; a complete run is scored."""
    ranks = plans.PILOT if launch.status == Launch.Status.ESTIMATING else launch.size
    unanswered = order.unanswered(run, order.positions(launch)[:ranks], order.step(launch))
    if not unanswered:
        count_outputs(run)
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
    queue.add_job(run, f"{Job.GENERATE}:{run.generation.connection_id}", unanswered)


def count_outputs(run: Run) -> None:
    count = Output.objects.filter(run=run, text__isnull=False).count()
    Run.objects.filter(pk=run.pk).update(output_count=count)


# ---- stopping and continuing -------------------------------------------------------------------------------


GOING = (Launch.Status.ESTIMATING, Launch.Status.RUNNING)


def stop(launch: Launch, status: str, error: dict[str, Any] | None = None) -> bool:
    """End the generation of all runs; answers stay. False if the launch had stopped already."""
    with transaction.atomic():
        going = Launch.objects.filter(pk=launch.pk, status__in=GOING)
        if not going.update(status=status, finished_at=leases.now()):
            return False
        ended = Run.Status.FAILED if status == Launch.Status.FAILED else Run.Status.CANCELLED
        for run in _generating(launch).select_for_update():
            at = queue.cancel_jobs(run)
            Run.objects.filter(pk=run.pk).update(status=ended, finished_at=at, error=error)
            count_outputs(run)
        events.launch_stopped(launch, status, error)
    return True


def _runs(launch: Launch) -> QuerySet[Run]:
    return Run.objects.filter(generation__launch=launch, deleted_at=None).order_by("pk")


def _generating(launch: Launch) -> QuerySet[Run]:
    return _runs(launch).filter(status=Run.Status.GENERATING)


def is_generating(launch: Launch) -> bool:
    return _generating(launch).exists()


def cancel(launch: Launch) -> Launch:
    """Make no further calls. Answers stay, and `resume` continues from there."""
    if not is_generating(launch) or not stop(launch, Launch.Status.CANCELLED):
        raise Conflict(
            "launch_not_running", "The launch is not generating answers, so it cannot be cancelled."
        )
    launch.refresh_from_db()
    return launch


def resume(launch: Launch, budget: int | None = None, max_calls: int | None = None) -> Launch:
    """Generate the missing answers of a launch that stopped or made its pilot, with new limits if given.

    No answer is paid twice. If the launch failed, failed answers are asked again.
    """
    with transaction.atomic():
        owned.hold(launch.experiment)
        launch.refresh_from_db()
        stopped_runs = _stopped(launch)
        if not stopped_runs:
            raise Conflict("launch_not_stopped", "The launch has not stopped, so it cannot be continued.")
        if launch.status != Launch.Status.ESTIMATING:
            limits.require_room(launch.project)
        has_failed, launch.status = launch.status == Launch.Status.FAILED, Launch.Status.RUNNING
        Launch.objects.filter(pk=launch.pk).update(status=Launch.Status.RUNNING, finished_at=None)
        set_limits(launch, budget, max_calls)
        for run in stopped_runs:
            require_server(run.generation)
            renew_prices(launch, run.generation)
            if has_failed:
                _forget_failures(run)
            open_run(run, launch)
    launch.refresh_from_db()
    return launch


def is_stopped(launch: Launch) -> bool:
    """Whether there is something to resume."""
    return bool(_stopped(launch))


def _stopped(launch: Launch) -> list[Run]:
    """The runs that a resumed launch continues. After a pilot none is asked, although all wait to be continued."""
    if Job.objects.filter(run__in=_generating(launch), kind=Job.GENERATE, state=Job.State.OPEN).exists():
        return []
    states_of_runs = [Run.Status.CANCELLED, Run.Status.FAILED]
    if launch.status == Launch.Status.ESTIMATING:
        states_of_runs.append(Run.Status.GENERATING)
    return list(_runs(launch).filter(status__in=states_of_runs))


def retry(run: Run, cause: str = "") -> Run:
    """Retry the failed answers, or only those with this error code, and then score the run again."""
    limits.require_room(run.project)
    with transaction.atomic():
        owned.hold(run.experiment)
        run.refresh_from_db(from_queryset=Run.objects.select_for_update())
        generation = _retryable(run)
        if not _forget_failures(run, cause):
            with_cause = f" with the cause {cause}" if cause else ""
            raise Conflict("nothing_to_retry", f"No answer of this run failed{with_cause}.")
        stopping.look_again(run, generation.launch)
        Run.objects.filter(pk=run.pk).update(revision=F("revision") + 1)
        renew_prices(generation.launch, generation)
        generation.launch.status = Launch.Status.RUNNING
        Launch.objects.filter(pk=generation.launch_id).update(status=Launch.Status.RUNNING, finished_at=None)
        open_run(run, generation.launch)
    run.refresh_from_db()
    return run


def _retryable(run: Run) -> Generation:
    """The generation of a run whose failed answers can be retried; any other run is a `Conflict`."""
    generation = Generation.objects.select_related("launch__experiment").filter(run=run).first()
    if generation is None:
        raise Conflict(
            "run_not_generated", "This run was not generated by a launch.", hint="Upload its outputs again."
        )
    if run.status != Run.Status.COMPLETED:
        message = f"The run is {run.status}; failed answers can be retried only in a completed run."
        raise Conflict("run_not_completed", message, hint="Wait for it to end, or continue its launch.")
    require_server(generation)
    return generation


def retry_all(launch: Launch, cause: str = "") -> list[Run]:
    """`retry` every completed run of a launch with such failed answers."""
    failed = states.failed(cause).filter(run=OuterRef("pk"))
    failed_runs = _runs(launch).filter(Exists(failed), status=Run.Status.COMPLETED)
    if not failed_runs:
        raise Conflict("nothing_to_retry", "No answer of a completed run failed with this cause.")
    return [retry(run, cause) for run in failed_runs.select_related("project", "experiment")]


def _forget_failures(run: Run, cause: str = "") -> int:
    """Delete the failed answers, so that their examples are asked again; returns their number."""
    failed = states.failed(cause).filter(run=run)
    Answer.objects.filter(run=run, position__in=failed.values("position")).delete()
    return failed.delete()[0]


def renew_prices(launch: Launch, generation: Generation) -> None:
    """Keep today's prices for the rest of the calls; raises `Invalid` if there is a limit, but no price."""
    assert generation.connection is not None
    limited_budgets = Budget.objects.filter(pk=launch.budget_id, limit__isnull=False)
    limit = ledger.A_BUDGET if limited_budgets.exists() else ledger.THE_MONTH
    if launch.project.monthly_limit is not None or limit == ledger.A_BUDGET:
        plans.check_price(generation.connection, generation.model, generation.parameters, "budget", limit)
    prices.freeze(generation)
    generation.save(update_fields=["input_price", "cached_price", "output_price"])


def require_server(generation: Generation) -> None:
    if generation.connection_id is None or generation.prompt_version_id is None:
        message = f"The prompt or the connection of {generation.run} was removed for good."
        raise Conflict("connection_removed", message, hint="Start a new launch.")


# ---- examples that a newer dataset version added ---------------------------------------------------------------


def can_ask(run: Run) -> bool:
    """Whether its launch can ask the examples that were added since: it knows the prompt, and does not stop early."""
    generation = Generation.objects.select_related("launch").filter(run=run).first()
    return generation is not None and not generation.launch.stop and run.status == Run.Status.COMPLETED


def ask_added(experiment: Experiment, budget: int | None = None, max_calls: int | None = None) -> list[Run]:
    """Ask the runs of prompts the examples that a newer dataset version added or rewrote, then score them again.

    The launches that made the runs continue, with new limits for their whole cost if given. Returns these runs.
    """
    limits.require_room(experiment.project)
    with transaction.atomic():
        owned.hold(experiment)
        unasked = [run for group in asked.unasked(experiments.runs_of(experiment)) for run in group.runs]
        if not (lacking := [run for run in unasked if can_ask(run)]):
            raise Conflict(
                "nothing_to_ask", "No run of a prompt waits for examples of a newer dataset version."
            )
        for launch in Launch.objects.filter(generations__run__in=lacking).distinct().order_by("pk"):
            _ask_added(
                launch, [run for run in lacking if run.generation.launch_id == launch.pk], budget, max_calls
            )
    return lacking


def _ask_added(launch: Launch, lacking: Sequence[Run], budget: int | None, max_calls: int | None) -> None:
    for run in lacking:
        asked.add(run, coverage.positions(run).every.tolist())
    positions = coverage.asked_positions(list(Run.objects.filter(generation__launch=launch))).every
    launch.rows, launch.size, launch.status = bitmaps.packed(positions), len(positions), Launch.Status.RUNNING
    launch.finished_at = None
    launch.save(update_fields=["rows", "size", "status", "finished_at"])
    set_limits(launch, budget, max_calls)
    for run in lacking:
        require_server(run.generation)
        renew_prices(launch, run.generation)
        run.early_scores.all().delete()
        Run.objects.filter(pk=run.pk).update(revision=F("revision") + 1)
        open_run(run, launch)


def set_limits(launch: Launch, budget: int | None, max_calls: int | None) -> None:
    new_limits = {"limit": budget, "max_calls": max_calls}
    if changed := {name: limit for name, limit in new_limits.items() if limit is not None}:
        Budget.objects.filter(pk=launch.budget_id).update(**changed)
