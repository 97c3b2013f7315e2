"""Celery tasks: an id in, one use case called. The database knows the rest."""

from datetime import timedelta

from celery import shared_task

from . import hints, leases
from .datasets import stored_arrays
from .engine import chores, queue
from .imports import imports
from .launches import ending, generating
from .models import Chunk, Import
from .playground import asking
from .scoring import scoring
from .upkeep import purging
from .webhooks import events, sending

DAY = 24 * 60 * 60
# For large files and slow servers; their leases say whether they go on. None would be the limits of the settings.
UNHURRIED = {"soft_time_limit": DAY, "time_limit": DAY + 60}


@shared_task(name="evaluations.work", ignore_result=True)
def work(run_id: int) -> None:
    """Score open chunks for about two seconds; a second delivery of the same message changes nothing."""
    more = scoring.work(seconds=2)
    if leases.due("sweep", queue.SWEEP_EVERY):
        sweep()
    if more:
        hints.send("evaluations.work", run_id)


@shared_task(name="evaluations.import_file", ignore_result=True, **UNHURRIED)
def import_file(import_id: int) -> None:
    """Read an uploaded file, unless another worker does."""
    imports.run_import(import_id)


@shared_task(name="evaluations.generate", ignore_result=True, **UNHURRIED)
def generate(run_id: int) -> None:
    """Ask the servers of the launches that wait, for a turn where others wait too."""
    more = generating.work()
    asking.work_waiting()
    if leases.due("sweep", queue.SWEEP_EVERY):
        sweep()
    if more:
        hints.send("evaluations.generate", run_id)


@shared_task(name="evaluations.try_prompt", ignore_result=True, **UNHURRIED)
def try_prompt(trial_id: int) -> None:
    """Ask what waits in a trial, in at most three rounds of calls of a minute each."""
    asking.work(trial_id)


@shared_task(name=events.DELIVER, ignore_result=True)
def deliver(webhook_id: int) -> None:
    """Send events to the webhooks for which some wait."""
    if sending.work():
        hints.send(events.DELIVER, webhook_id)


@shared_task(name="evaluations.sweep", ignore_result=True)
def sweep() -> None:
    """Put right what was interrupted, and remove what is long deleted."""
    chores.run_each(
        (
            scoring.sweep,
            ending.sweep,
            asking.sweep,
            imports.sweep,
            sending.sweep,
            _leave_pulse,
            purging.purge,
            _store_arrays,
        )
    )


def _store_arrays() -> None:
    """So that pages of large datasets open quickly: one stretch where other work waits, a tenth of a second."""
    is_busy = Chunk.objects.exists() or Import.objects.exists()
    stored_arrays.fill(seconds=0 if is_busy else 5)


def _leave_pulse() -> None:
    """Record that the sweep ran, which shows that an idle site is alive, even if purging fails."""
    leases.due("sweep", every=timedelta())
