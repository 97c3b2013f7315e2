"""Celery tasks: each takes an id, or nothing, and calls one function. All data is in the database."""

from datetime import timedelta
from functools import partial
from typing import Any

from celery import shared_task

from . import hints, leases, task_names
from .datasets import stored_arrays
from .engine import callers, chores
from .experiments import edited_outputs
from .gates import sample
from .imports import imports
from .judges import asides, judgings
from .labelling import columns, presence
from .launches import ending, generating
from .models import Chunk, Import, Job
from .playground import scores
from .scoring import scoring
from .upkeep import purging
from .webhooks import sending

DAY = 24 * 60 * 60
# threads of a process for calls: of evaluators that call a server, and of scores of trials
EMBEDDING, TRYING = 2, 2
# seconds, for large files and slow servers; None would mean the limits of the settings
UNHURRIED: Any = {"soft_time_limit": DAY, "time_limit": DAY + 60}


@shared_task(name=task_names.SCORE, ignore_result=True)
def work(run_id: int) -> None:
    """Score open chunks for about two seconds; a second delivery of the same message changes nothing."""
    if scoring.work(seconds=2, kinds=(Job.TEXT,)):
        hints.send(task_names.SCORE, run_id)


@shared_task(name=task_names.EMBED, ignore_result=True, **UNHURRIED)
def embed(run_id: int) -> None:
    """Score open chunks of evaluators that call a server, and make all other calls that wait."""
    _make_calls()


@shared_task(name=task_names.IMPORT_FILE, ignore_result=True, **UNHURRIED)
def import_file(import_id: int) -> None:
    """Read an uploaded file, unless another worker is reading it."""
    imports.run_import(import_id)


@shared_task(name=task_names.COPY_OUTPUTS, ignore_result=True, **UNHURRIED)
def copy_outputs(copy_id: int) -> None:
    """Copy the outputs of edited examples, unless another worker is copying them."""
    edited_outputs.work(copy_id)


@shared_task(name=task_names.GENERATE, ignore_result=True, **UNHURRIED)
def generate(run_id: int) -> None:
    """Ask for the answers of waiting launches and trials, and make all other calls that wait."""
    _make_calls()


def _make_calls() -> None:
    """Make all calls that wait for a server, beside each other.

    One thread asks for all launches and trials; each of the others scores, and waits for one server at a time.
    """
    embedding = partial(scoring.work, kinds=(Job.SERVER,))
    callers.run((generating.work, *[embedding] * EMBEDDING, *[scores.work] * TRYING))


@shared_task(name=task_names.DELIVER, ignore_result=True)
def deliver(webhook_id: int) -> None:
    """Send waiting events to their webhooks."""
    if sending.work():
        hints.send(task_names.DELIVER, webhook_id)


@shared_task(name=task_names.SWEEP, ignore_result=True)
def sweep() -> None:
    """Free interrupted work, repeat lost hints, and purge objects deleted long ago."""
    chores.run_each(
        (
            scoring.sweep,
            ending.sweep,
            scores.sweep,
            imports.sweep,
            edited_outputs.sweep,
            sending.sweep,
            columns.sweep,
            presence.sweep,
            judgings.sweep,
            sample.complete,
            asides.sweep,
            _leave_pulse,
            purging.purge,
            _store_arrays,
        )
    )


def _store_arrays() -> None:
    """Store arrays of large datasets; only one stretch (a tenth of a second) while other work waits."""
    is_busy = Chunk.objects.exists() or Import.objects.exclude(state=Import.State.DONE).exists()
    stored_arrays.fill(seconds=0 if is_busy else 5)


def _leave_pulse() -> None:
    """Record that the sweep ran, which shows that an idle site is alive, even if purging fails."""
    leases.due("sweep", every=timedelta())
