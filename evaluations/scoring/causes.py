"""The cause of each missing score: variant, dataset or evaluator.

The stored status decides, never the value: some kinds store 0 for a missing side.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial

import numpy as np
from django.db.models.functions import Length
from numpy.typing import NDArray

from evaluations import long_arrays
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.pairs import LONGEST
from evaluations.kinds.scores import Scores
from evaluations.mapping.sources import Literal
from evaluations.models import Block, Output, Scoring
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, Status

from .columns import Slots

Causes = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Notes = Callable[[NDArray[np.intp]], dict[int, str]]  # a function from slots to their stored messages
# a function from slots to those whose output is too long for any kind
Long = Callable[[Sequence[int]], set[int]]


class Cause(IntEnum):
    """The cause by example; stored as one byte."""

    SCORED = 0
    VARIANT = (
        1  # no output, an erroneous or too long one, or one in which a path, step or judge finds nothing
    )
    DATASET = 2  # no reference, or an example without a match for a path
    EVALUATOR = 3  # its server failed, its settings do not fit the example, or its score was never sent
    NOT_ASKED = 255


MOST_BYTES = 16_000_000
process_cache: ProcessCache[tuple[object, ...], Causes] = ProcessCache(
    "causes of missing scores", MOST_BYTES, lambda causes: causes.nbytes
)


def remembered(
    scoring: Scoring, recipe: Recipe, slots: Slots, failed: Mask | None, positions: Positions
) -> Causes:
    """Like `classify`; a scoring that has ended is classified once."""
    if scoring.summary is None:
        return classify(scoring, recipe, slots, failed, positions)
    key = (scoring.stamp, positions.key, None if failed is None else failed.tobytes())
    known = process_cache.get(key)
    if known is None:
        known = classify(scoring, recipe, slots, failed, positions)
        known.flags.writeable = False
        process_cache.put(key, known)
    return known


def classify(
    scoring: Scoring, recipe: Recipe, slots: Slots, failed: Mask | None, positions: Positions
) -> Causes:
    """The cause in every slot, one per position. `failed` marks outputs that were sent with an error."""
    notes = partial(_messages, scoring, positions)
    long = partial(_long_outputs, scoring.run_id, positions)
    return _classified(recipe, slots.status, failed, notes, long)


def of_scores(recipe: Recipe, scores: Scores, outputs: Sequence[JSON], failed: Mask) -> Causes:
    """The causes of `scores` that are not stored; `outputs` are those of the slots."""

    def long(slots: Sequence[int]) -> set[int]:
        return {slot for slot in slots if isinstance(text := outputs[slot], str) and len(text) > LONGEST}

    return _classified(recipe, scores.status, failed, lambda _: scores.messages, long)


def _classified(
    recipe: Recipe, status: NDArray[np.uint8], failed: Mask | None, notes: Notes, long: Long
) -> Causes:
    causes, by_status = long_arrays.like(status), _by_status(recipe)
    for part in long_arrays.parts(len(status)):  # at once, numpy would make eight bytes of each status
        causes[part] = by_status[status[part]]
    unclear = np.flatnonzero(_unclear(recipe, status))
    if len(unclear):
        causes[unclear] = _by_message(recipe, unclear, notes(unclear), long)
    if failed is not None:
        innocent = (causes == Cause.SCORED) | (causes == Cause.EVALUATOR)
        causes[failed & innocent] = Cause.VARIANT
    return causes


def failed_outputs(positions: Mapping[int, Positions]) -> dict[int, Mask]:
    """By run, the slots of outputs that were sent with an error; runs without any are left out."""
    failed = Output.objects.filter(run__in=list(positions), error__isnull=False).exclude(error="")
    by_run = defaultdict[int, list[int]](list)
    for run_id, position in failed.values_list("run_id", "position").iterator(10_000):
        by_run[run_id].append(position)
    masks = {
        pk: positions[pk].mask(np.array(failed_positions, np.int64))
        for pk, failed_positions in by_run.items()
    }
    return {pk: mask for pk, mask in masks.items() if mask.any()}


def _by_status(recipe: Recipe) -> Causes:
    """The cause for each status, if the status alone determines it for this evaluator."""
    reads, deep = reads_output(recipe), _deep_paths(recipe)
    table = np.full(256, Cause.NOT_ASKED, np.uint8)
    table[Status.SCORED] = Cause.SCORED
    table[Status.MISSING_ACTUAL] = _blamed(reads.get("actual", True) or "scores" in recipe.needs)
    table[Status.MISSING_EXPECTED] = _blamed(reads.get("expected", False))
    table[Status.UNMAPPED] = _blamed(True in deep)
    table[Status.ERROR] = Cause.EVALUATOR
    table[Status.NOT_FOUND] = Cause.VARIANT
    table[Status.NOT_SENT] = Cause.EVALUATOR
    table[Status.NO_VERDICT] = Cause.VARIANT
    return table


def of_status(recipe: Recipe, status: Status) -> Cause:
    """The cause of a status, as far as it alone says it."""
    return Cause(_by_status(recipe)[status])


def reads_output(recipe: Recipe) -> dict[str, bool]:
    """For each parameter, whether its value is read from the variant's output."""
    return {
        name: not isinstance(source, Literal)
        and (source.path.roots is None or not source.path.roots.isdisjoint(("output", "actual")))
        for name, source in recipe.mapping.sources.items()
    }


def _blamed(reads_output: bool) -> Cause:
    return Cause.VARIANT if reads_output else Cause.DATASET


def _unclear(recipe: Recipe, status: NDArray[np.uint8]) -> Mask:
    """The slots whose cause depends on the stored message."""
    unclear: Mask = status == Status.ERROR
    return unclear | (status == Status.UNMAPPED) if len(_deep_paths(recipe)) > 1 else unclear


def _deep_paths(recipe: Recipe) -> set[bool]:
    """For paths that can match nothing, whether they lead into the output; a path of one key always matches."""
    reads = reads_output(recipe)
    return {
        reads[name]
        for name, source in recipe.mapping.sources.items()
        if not isinstance(source, Literal) and not (source.path.plain and len(source.path.prefix) == 1)
    }


def _by_message(recipe: Recipe, slots: NDArray[np.intp], messages: Mapping[int, str], long: Long) -> Causes:
    blamed = {slot: _cause_in(recipe, message) for slot, message in messages.items()}
    too_long = [slot for slot, message in messages.items() if message.startswith("too_long:")]
    outputs = long(too_long)
    blamed |= {slot: _blamed(slot in outputs) for slot in too_long}
    return np.array([blamed.get(slot, Cause.EVALUATOR) for slot in slots.tolist()], np.uint8)


def _messages(scoring: Scoring, positions: Positions, slots: NDArray[np.intp]) -> dict[int, str]:
    """The stored message of each slot."""
    slot_by_position = dict(zip(positions.at(slots).tolist(), slots.tolist(), strict=True))
    notes = Block.objects.filter(scoring=scoring, first__lte=max(slot_by_position)).values_list(
        "first", "notes"
    )
    return {
        slot_by_position[first + int(offset)]: message
        for first, note in notes.iterator(50)
        for offset, message in note.get("messages", {}).items()
        if first + int(offset) in slot_by_position
    }


def _cause_in(recipe: Recipe, message: str) -> Cause:
    """The cause by a message of `mapping` or `kinds`: "code: sentence"."""
    code, _, sentence = message.partition(": ")
    reads = reads_output(recipe)
    if code in ("unmapped", "many_matches", "path_limit"):
        return _blamed(_reads_output_by_path(recipe, reads).get(sentence.split(" ")[0], False))
    if code in ("not_a_number", "out_of_bounds") and reads.get("actual", False):
        return Cause.VARIANT
    if sentence.startswith(("The actual ", "The output ")):
        return _blamed(reads.get("actual", True))
    if code == "no_number" or sentence.startswith(("The expected ", "The reference ")):
        return _blamed(reads.get("expected", False))
    return Cause.EVALUATOR


def _reads_output_by_path(recipe: Recipe, reads: Mapping[str, bool]) -> dict[str, bool]:
    """By the first word of each path (messages quote paths, which may contain blanks), whether it reads the output."""
    sources = recipe.mapping.sources.items()
    return {
        source.path.text.split(" ")[0]: reads[name]
        for name, source in sources
        if not isinstance(source, Literal)
    }


def _long_outputs(run_id: int, positions: Positions, slots: Sequence[int]) -> set[int]:
    slot_by_position = dict(zip(positions.at(np.array(slots, np.intp)).tolist(), slots, strict=True))
    long: set[int] = set()
    for start in range(0, len(slot_by_position), 500):
        outputs = Output.objects.filter(run=run_id, position__in=list(slot_by_position)[start : start + 500])
        lengths = outputs.annotate(length=Length("text")).filter(length__gt=LONGEST)
        long.update(slot_by_position[position] for position in lengths.values_list("position", flat=True))
    return long
