"""Copies outputs to the new positions of edited examples, when their experiment moves to a newer dataset version."""

from collections.abc import Iterator

import numpy as np
from django.db.models import F

from evaluations import bulk
from evaluations.datasets import bitmaps, contents, identities, live_positions
from evaluations.models import Dataset, Example, Experiment, Output, Run

AT_ONCE = 5_000
FIELDS = ("text", "is_json", "error", "latency_ms", "tokens", "scores")
Moves = dict[int, int]  # the new position of an example by its old one


def copy(experiment: Experiment, source: int) -> None:
    """Copy the outputs for examples that were edited since version `source`, unless their inputs changed.

    An output of a prompt may depend on the metadata too, so these must be unchanged as well. A run that was asked an
    example is asked it after the edit.
    """
    runs = list(Run.objects.filter(experiment=experiment))
    for moves in _moves(experiment.dataset, source, experiment.dataset_version):
        same_inputs = _unchanged(experiment.dataset, moves, ("inputs",))
        all_same = _unchanged(experiment.dataset, moves, ("inputs", "metadata"))
        for run in runs:
            _ask(run, moves)
            _copy(run, all_same if run.prompt_version_id else same_inputs)


def _moves(dataset: Dataset, source: int, target: int) -> Iterator[Moves]:
    """The examples of both versions whose positions differ, some thousands at a time."""
    old = live_positions.of_version(dataset, source).every
    new = identities.in_version(dataset, source, target)
    is_moved = (old != new) & live_positions.of_version(dataset, target).find(new)[1]
    pairs = np.stack([old, new], axis=1)[is_moved].tolist()
    for first in range(0, len(pairs), AT_ONCE):
        yield dict(pairs[first : first + AT_ONCE])


def _unchanged(dataset: Dataset, moves: Moves, parts: tuple[str, ...]) -> Moves:
    """The moves of the examples whose `parts` have the same contents before and after."""
    examples = Example.objects.filter(dataset=dataset, position__among=[*moves, *moves.values()])
    positions, *texts = zip(*bulk.select(examples.values_list("position", *parts)), strict=True)
    digests = contents.digests(dict(zip(parts, texts, strict=True)))
    by_position = dict(zip(positions, digests, strict=True))
    return {old: new for old, new in moves.items() if by_position[old] == by_position[new]}


def _ask(run: Run, moves: Moves) -> None:
    if run.asked_rows is not None:
        old, new = np.array(list(moves.items()), np.int64).T
        again = new[bitmaps.holds(run.asked_rows, old)]
        run.asked_rows = bitmaps.packed(np.append(bitmaps.positions(run.asked_rows), again))
        run.save(update_fields=["asked_rows"])


def _copy(run: Run, moves: Moves) -> None:
    outputs = Output.objects.filter(run=run, position__among=list(moves))
    rows = bulk.select(outputs.values_list("position", *FIELDS))
    if rows:
        copies = ((run.pk, moves[position], *fields) for position, *fields in rows)
        bulk.insert(Output, ("run_id", "position", *FIELDS), copies)
        Run.objects.filter(pk=run.pk).update(revision=F("revision") + 1)
