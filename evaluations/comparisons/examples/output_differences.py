"""Finds the examples of a comparison for which outputs of the runs differ."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluations.datasets.live_positions import Positions
from evaluations.models import Output, Run
from evaluations.process_cache import ProcessCache
from evaluations.results import searching
from evaluations.results.searching import Ends, Stretch

from ..comparison import Comparison

AT_ONCE = 5_000  # examples whose texts are compared at once
MOST_BYTES = 16_000_000  # 128 pairs of runs with a million outputs
Mask = NDArray[np.bool_]
Key = tuple[int, int, int, int, datetime, int, Stretch | None]
Within = Mapping[int, Sequence[Ends]]  # by run, the ranges of positions whose outputs are read
# Bits of equal outputs by pair of runs; outputs of a scored run change only with its revision.
process_cache: ProcessCache[Key, NDArray[np.uint8]] = ProcessCache(
    "different outputs", MOST_BYTES, lambda bits: bits.nbytes
)


def mask(comparison: Comparison, searched: Stretch | None) -> Mask:
    """The mask of examples, in a stretch or of all, for which a run's output differs from the baseline's, or only one
    of them has an output."""
    baseline, variants = comparison.sides.baseline.run, [side.run for side in comparison.sides.others]
    within = None if searched is None else _within(comparison, [baseline, *variants], searched)
    present = _present(comparison, [baseline, *variants], within)
    same = _same_texts(comparison, variants, searched, within)
    in_baseline = present[baseline.pk]
    different = [
        (in_baseline | present[run.pk]) & ~(in_baseline & present[run.pk] & same[run.pk]) for run in variants
    ]
    found = np.asarray(np.logical_or.reduce([np.zeros(len(in_baseline), np.bool_), *different]))
    return found if searched is None else found & searched.mask


def _within(comparison: Comparison, runs: Sequence[Run], searched: Stretch) -> Within:
    placements = {run.pk: comparison.aligner.placement(run.pk) for run in runs}
    return {
        pk: searching.ranges(placement.positions, placement.to_version(searched.mask, False))
        for pk, placement in placements.items()
    }


def _present(comparison: Comparison, runs: Sequence[Run], within: Within | None) -> dict[int, Mask]:
    """The masks of examples with an output, by run; complete runs need no query."""
    placements = {run.pk: comparison.aligner.placement(run.pk) for run in runs}
    positions = {pk: placement.positions for pk, placement in placements.items()}
    incomplete_runs = [run for run in runs if run.output_count < positions[run.pk].last]
    outputs = Output.objects.filter(run__in=incomplete_runs, text__isnull=False)
    read = _slots_by_run(outputs, {run.pk: positions[run.pk] for run in incomplete_runs}, within)
    every = {run.pk: np.ones(len(positions[run.pk]), np.bool_) for run in runs} | read
    return {pk: placements[pk].to_shared(has_output, False) for pk, has_output in every.items()}


def _same_texts(
    comparison: Comparison, runs: Sequence[Run], searched: Stretch | None, within: Within | None
) -> dict[int, Mask]:
    """The masks of examples whose output equals the baseline's, by run."""
    same = _same_at_equal_positions(comparison, runs, searched, within)
    for run in runs:
        _compare_moved(comparison, run, same[run.pk], searched)
    return same


def _same_at_equal_positions(
    comparison: Comparison, runs: Sequence[Run], searched: Stretch | None, within: Within | None
) -> dict[int, Mask]:
    """`_same_texts`, comparing equal positions; right for examples with the same position in both runs."""
    baseline = comparison.sides.baseline.run
    keys = {_key(baseline, run, searched): run for run in runs}
    positions = {run.pk: comparison.aligner.placement(run.pk).positions for run in runs}
    bits = process_cache.get_many(keys)
    unread = {run.pk: positions[run.pk] for key, run in keys.items() if key not in bits}
    equal_outputs = Output.objects.filter(run=baseline, position=OuterRef("position"), text=OuterRef("text"))
    equal = Output.objects.filter(Exists(equal_outputs), run__in=list(unread))
    read = _slots_by_run(equal, unread, within)
    new = {key: np.packbits(read[run.pk]) for key, run in keys.items() if run.pk in read}
    process_cache.put_many(new)
    bits |= new
    masks = {
        run.pk: np.unpackbits(bits[key], count=len(positions[run.pk])).astype(np.bool_)
        for key, run in keys.items()
    }
    return {run.pk: comparison.aligner.placement(run.pk).to_shared(masks[run.pk], False) for run in runs}


def _key(baseline: Run, run: Run, searched: Stretch | None) -> Key:
    version = run.experiment.dataset_version
    return baseline.pk, baseline.revision, run.pk, run.revision, run.created_at, version, searched


def _compare_moved(comparison: Comparison, run: Run, same: Mask, searched: Stretch | None) -> None:
    """Correct the mask for examples with different positions in this run and in the baseline."""
    placement, is_other = comparison.aligner.placement(run.pk), comparison.aligner.is_other(run.pk)
    run_positions, baseline_positions = placement.pairs if is_other else placement.moved
    if searched is not None:
        here = searched.mask[comparison.aligner.positions.slots(baseline_positions)]
        run_positions, baseline_positions = run_positions[here], baseline_positions[here]
    for first in range(0, len(run_positions), AT_ONCE):
        positions = baseline_positions[first : first + AT_ONCE]
        texts = _texts(run, run_positions[first : first + AT_ONCE])
        baseline_texts = _texts(comparison.sides.baseline.run, positions)
        same[comparison.aligner.positions.slots(positions)] = [
            text is not None and text == baseline_text
            for text, baseline_text in zip(texts, baseline_texts, strict=True)
        ]


def _texts(run: Run, positions: NDArray[np.int64]) -> list[str | None]:
    """The outputs of a run at these positions."""
    position_list = positions.tolist()
    texts = dict(run.outputs.filter(position__in=position_list).values_list("position", "text"))
    return [texts.get(position) for position in position_list]


def _slots_by_run(
    outputs: QuerySet[Output], positions: Mapping[int, Positions], within: Within | None
) -> dict[int, Mask]:
    """The slots that have one of these outputs, by run. One query encodes run and position in one number."""
    if not positions:
        return {}
    if within is not None:
        return {
            pk: run_positions.mask(searching.positions_of(outputs.filter(run=pk), within[pk]))
            for pk, run_positions in positions.items()
        }
    wide = Cast("run_id", BigIntegerField()) * 2**32 + Cast("position", BigIntegerField())
    codes = np.fromiter(outputs.values_list(wide, flat=True).iterator(10_000), np.int64)
    return {
        pk: run_positions.mask(codes[codes >> 32 == pk] % 2**32) for pk, run_positions in positions.items()
    }
