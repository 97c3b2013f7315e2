"""Copies outputs to the new positions of edited examples, after their experiment moved to a newer dataset version.

They are not kept at the old positions, or else each failed answer would count, and be retried, twice.
A worker copies them, some thousands in each transaction. Until it has ended, no chunk of the experiment's runs is
claimed (`engine.queue.claimable_jobs`): they would be scored, or asked, without the outputs that follow.
"""

import logging

import numpy as np
from django.db import transaction
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from evaluations import bulk, hints, task_names
from evaluations.commit_points import reached
from evaluations.datasets import bitmaps, contents, identities, live_positions
from evaluations.engine import lanes, queue
from evaluations.models import Answer, Dataset, Example, Experiment, Launch, Output, OutputCopy, Run

log = logging.getLogger(__name__)
AT_ONCE = 5_000
Moves = dict[int, int]  # the new position of an example by its old one
Pairs = NDArray[np.int64]  # the same as rows of two numbers, old positions ascending


# ---- beginning -----------------------------------------------------------------------------------------------


def begin(experiment: Experiment, source: int) -> None:
    """Queue the copying for examples that were edited since version `source`.

    A run that was asked an example is asked it after the edit.
    """
    pairs = _moves(experiment.dataset, source, experiment.dataset_version)
    runs = _runs(experiment)
    if not len(pairs) or not runs.exists():
        return
    for run in runs.filter(asked_rows__isnull=False):
        run.asked_rows = _after(run.asked_rows or b"", pairs)
        run.save(update_fields=["asked_rows"])
    for launch in experiment.launches.all():
        _keep_sample(launch, pairs)
    copy = OutputCopy.objects.create(
        experiment=experiment, source=source, target=experiment.dataset_version, total=len(pairs)
    )
    hints.send(task_names.COPY_OUTPUTS, copy.pk)


def of_experiment(experiment: Experiment) -> OutputCopy | None:
    """The copying in progress, if there is one."""
    return getattr(experiment, "output_copy", None)


def _runs(experiment: Experiment) -> QuerySet[Run]:
    """All its runs, deleted ones too, because they can be restored."""
    return Run.objects.filter(experiment=experiment).order_by("pk")


def _moves(dataset: Dataset, source: int, target: int) -> Pairs:
    """The examples of both versions whose positions differ."""
    old = live_positions.of_version(dataset, source).every
    new = identities.in_version(dataset, source, target)
    is_moved = (old != new) & live_positions.of_version(dataset, target).find(new)[1]
    return np.asarray(np.stack([old, new], axis=1)[is_moved])


def _after(bits: bytes, pairs: Pairs) -> bytes:
    """These positions after the edits."""
    moves, positions = dict(pairs.tolist()), bitmaps.positions(bits).tolist()
    return bitmaps.packed(np.array([moves.get(old, old) for old in positions], np.int64))


def _keep_sample(launch: Launch, pairs: Pairs) -> None:
    """Let a launch on a sample or split keep the examples its runs were asked.

    The random order of the newer version would draw others, for which a retry would pay.
    """
    runs = Run.objects.filter(generation__launch=launch, asked_rows__isnull=False)
    samples = [bitmaps.positions(bits or b"") for bits in runs.values_list("asked_rows", flat=True)]
    if samples:
        launch.rows = bitmaps.packed(np.unique(np.concatenate(samples)))
    elif launch.rows is not None:
        launch.rows = _after(launch.rows, pairs)
    launch.save(update_fields=["rows"])


# ---- copying -------------------------------------------------------------------------------------------------


def work(copy_id: int) -> None:
    """Copy the outputs of one experiment. Safe to call any number of times: only the holder of the lease works."""
    copies = OutputCopy.objects.select_related("experiment__dataset").filter(pk=copy_id)
    copy = queue.claim(copies)
    if copy is None:
        return
    reached("copy_claimed")
    try:
        with queue.given_back_on_error(copy):
            _copy_all(copy)
    except queue.Lost:
        log.info("the copying of outputs %s was taken over", copy.pk)


def _copy_all(copy: OutputCopy) -> None:
    pairs = _moves(copy.experiment.dataset, copy.source, copy.target)
    for first in range(copy.done, len(pairs), AT_ONCE):
        batch = pairs[first : first + AT_ONCE].tolist()
        _copy_batch(copy, dict(batch))
        # Progress restarts the count of attempts, as in scoring.
        if not queue.extend(copy, done=first + len(batch), attempt=1):
            raise queue.Lost
        reached("batch_copied")
    _end(copy)


def _copy_batch(copy: OutputCopy, moves: Moves) -> None:
    """Copy the outputs of these examples, unless their inputs changed.

    An output of a prompt may depend on the metadata too, so these must be unchanged as well.
    """
    dataset = copy.experiment.dataset
    for run in _runs(copy.experiment):
        parts = ("inputs", "metadata") if run.prompt_version_id else ("inputs",)
        _store(copy, run, _unchanged(dataset, moves, parts))


def _unchanged(dataset: Dataset, moves: Moves, parts: tuple[str, ...]) -> Moves:
    """The moves of the examples whose `parts` have the same contents before and after."""
    examples = Example.objects.filter(dataset=dataset, position__one_of=[*moves, *moves.values()])
    positions, *texts = zip(*bulk.select(examples.values_list("position", *parts)), strict=True)
    digests = contents.digests(dict(zip(parts, texts, strict=True)))
    by_position = dict(zip(positions, digests, strict=True))
    return {old: new for old, new in moves.items() if by_position[old] == by_position[new]}


def _store(copy: OutputCopy, run: Run, moves: Moves) -> None:
    """Give the outputs of a run their new positions, as long as the lease holds.

    A draft may have got newer outputs meanwhile, which stay.
    """
    with transaction.atomic():
        if not Run.objects.select_for_update().filter(pk=run.pk).exists():
            return
        if not queue.extend(copy):
            raise queue.Lost
        newer = Output.objects.filter(run=run, position__one_of=list(moves.values()))
        answered = {position for (position,) in bulk.select(newer.values_list("position"))}
        unanswered = {old: new for old, new in moves.items() if new not in answered}
        bulk.renumber(Answer, run.pk, unanswered)
        if bulk.renumber(Output, run.pk, unanswered):
            Run.objects.filter(pk=run.pk).update(revision=F("revision") + 1)
        reached("copying")


# ---- ending --------------------------------------------------------------------------------------------------


def _end(copy: OutputCopy) -> None:
    """Let the runs be scored."""
    with transaction.atomic():
        if not queue.leased_row(copy).delete()[0]:
            raise queue.Lost
        transaction.on_commit(_send_hints)
    reached("copied")


def _send_hints() -> None:
    for kind in lanes.every():
        queue.sweep(kind.name)


def sweep() -> None:
    """Free the copying of lost workers, and send hints for waiting ones again."""
    queue.free_expired(OutputCopy.objects.all(), _leave_out)
    for pk in OutputCopy.objects.filter(queue.ready()).values_list("pk", flat=True):
        hints.send(task_names.COPY_OUTPUTS, pk)


def _leave_out(copy: OutputCopy, unchanged: QuerySet[OutputCopy]) -> None:
    """Go on after a batch that killed three workers; its outputs count as missing."""
    if unchanged.update(
        state=OutputCopy.State.READY, token="", attempt=0, done=min(copy.done + AT_ONCE, copy.total)
    ):
        log.error("outputs of experiment %s were not copied: %s examples", copy.experiment_id, AT_ONCE)
