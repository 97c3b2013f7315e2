"""Copies outputs to the new positions of edited examples, after their experiment moved to a newer dataset version.

They are not kept at the old positions, or else each failed answer would count, and be retried, twice.
A worker copies them, some thousands in each transaction. Until it has ended, no chunk of the experiment's runs is
claimed (`engine.queue.claimable_jobs`): they would be scored, or asked, without the outputs that follow.
"""

import logging

import numpy as np
from django.db import transaction
from django.db.models import F, QuerySet

from evaluations import bulk, hints, task_names
from evaluations.commit_points import reached
from evaluations.datasets import contents, identities, live_positions
from evaluations.engine import lanes, queue
from evaluations.models import Answer, Dataset, Example, Experiment, Output, OutputCopy, Run

from . import asked

log = logging.getLogger(__name__)
AT_ONCE = 5_000
Moves = dict[int, int]  # the new position of an example by its old one


# ---- beginning -----------------------------------------------------------------------------------------------


def begin(experiment: Experiment, source: int) -> None:
    """Queue the copying for examples that were edited since version `source`, and keep what its runs were asked.

    A run that was asked an example is asked it after the edit, unless the edit changed what it was asked.
    """
    pairs = _moves(experiment.dataset, source, experiment.dataset_version)
    asked.follow(experiment, source, pairs)
    if not len(pairs) or not _runs(experiment).exists():
        return
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


def _moves(dataset: Dataset, source: int, target: int) -> asked.Pairs:
    """The examples of both versions whose positions differ."""
    old = live_positions.of_version(dataset, source).every
    new = identities.in_version(dataset, source, target)
    is_moved = (old != new) & live_positions.of_version(dataset, target).find(new)[1]
    return np.asarray(np.stack([old, new], axis=1)[is_moved])


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
        unchanged = _unchanged(dataset, moves, parts)
        _store(copy, run, unchanged, [new for old, new in moves.items() if old not in unchanged])


def _unchanged(dataset: Dataset, moves: Moves, parts: tuple[str, ...]) -> Moves:
    """The moves of the examples whose `parts` have the same contents before and after."""
    examples = Example.objects.filter(dataset=dataset, position__one_of=[*moves, *moves.values()])
    positions, *texts = zip(*bulk.select(examples.values_list("position", *parts)), strict=True)
    digests = contents.digests(dict(zip(parts, texts, strict=True)))
    by_position = dict(zip(positions, digests, strict=True))
    return {old: new for old, new in moves.items() if by_position[old] == by_position[new]}


def _store(copy: OutputCopy, run: Run, moves: Moves, rewritten: list[int]) -> None:
    """Give the outputs of a run their new positions, as long as the lease holds; `rewritten` examples were not asked.

    A draft may have got newer outputs meanwhile, which stay.
    """
    with transaction.atomic():
        if (locked := Run.objects.select_for_update().filter(pk=run.pk).first()) is None:
            return
        if not queue.extend(copy):
            raise queue.Lost
        asked.forget(locked, rewritten)
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
    waiting = OutputCopy.objects.filter(queue.ready()).order_by("pk")
    for pk in waiting.values_list("pk", flat=True)[: queue.MOST_HINTS]:
        hints.send(task_names.COPY_OUTPUTS, pk)


def _leave_out(copy: OutputCopy, unchanged: QuerySet[OutputCopy]) -> None:
    """Go on after a batch that killed three workers; its outputs count as missing."""
    if unchanged.update(
        state=OutputCopy.State.READY, token="", attempt=0, done=min(copy.done + AT_ONCE, copy.total)
    ):
        log.error("outputs of experiment %s were not copied: %s examples", copy.experiment_id, AT_ONCE)
