"""Counts the comparisons ever made on a dataset: each new set of outputs of a candidate is one.

Written by the job that completes a run, by the first scores that a completed run is sent, and by the check of a gate,
never by reading a page. All versions of a dataset
count together, because their examples are the same ones by origin: an example that was edited, and so moved to another
position, keeps it.
"""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from evaluations import bulk
from evaluations.datasets import identities, live_positions
from evaluations.errors import Conflict
from evaluations.models import CountedComparison, Dataset, Output, Run
from evaluations.numerals import grouped

AT_ONCE = 10_000
BITS = 256
MOST = 10_000  # comparisons that can be declared


def digest(run: Run) -> str:
    """A digest of a run's outputs, each with the origin of its example: a sum that no order changes."""
    dataset, version = run.experiment.dataset, run.experiment.dataset_version
    positions, origins = live_positions.of_version(dataset, version), identities.of_version(dataset, version)
    total = 0
    for start in range(0, len(positions), AT_ONCE):
        part = positions.at(np.arange(start, min(start + AT_ONCE, len(positions))))
        by_position = dict(zip(part.tolist(), origins[start : start + AT_ONCE].tolist(), strict=True))
        outputs = Output.objects.filter(run=run, text__isnull=False, position__range=(part[0], part[-1]))
        for position, text in bulk.select(outputs.values_list("position", "text")):
            packed = f"{by_position.get(position, position)}:{text}".encode(errors="surrogatepass")
            total += int.from_bytes(blake2b(packed, digest_size=BITS // 8).digest())
    return f"{total % 2**BITS:064x}"


def is_candidate(run: Run) -> bool:
    """Whether a run is compared with a baseline: its variant is not the experiment's baseline, nor the first one."""
    experiment = run.experiment
    if experiment.baseline:
        return run.variant != experiment.baseline
    first = (
        Run.objects.filter(experiment=experiment, deleted_at=None, for_gate=False)
        .order_by("pk")
        .values_list("variant", flat=True)
    )
    return run.variant != first.first()


def count(run: Run) -> None:
    """Count a completed run as a candidate, once for its outputs."""
    if not is_candidate(run):
        return
    experiment = run.experiment
    CountedComparison.objects.get_or_create(
        run=run,
        outputs=digest(run),
        defaults={"dataset": experiment.dataset, "dataset_version": experiment.dataset_version},
    )


def made(dataset: Dataset) -> int:
    """How many comparisons were ever made on a dataset."""
    return CountedComparison.objects.filter(dataset=dataset).values("outputs").distinct().count()


def declare(dataset: Dataset, most: int | None) -> Dataset:
    """Declare how many comparisons, from 1 to `MOST`, are made at most, before the first; None takes it back.

    Raises `Conflict` afterwards: whoever could choose the number after seeing results would choose one that confirms.
    """
    if most != dataset.most_comparisons:
        if count := made(dataset):
            raise Conflict(
                "comparisons_made",
                "The number of comparisons is declared before the first. On this dataset there "
                f"{'was' if count == 1 else 'were'} {grouped(count)} already.",
                hint="Declare it for a new dataset.",
            )
        dataset.most_comparisons = most
        dataset.save(update_fields=["most_comparisons"])
    return dataset


def numbers(dataset_id: int) -> dict[int, int]:
    """For each counted run the number of its comparison, from 1; equal outputs have the number of the first."""
    return numbers_of([dataset_id])


def numbers_of(dataset_ids: Iterable[int]) -> dict[int, int]:
    """`numbers` of the runs of several datasets, in one query; each dataset counts for itself."""
    first: dict[int, dict[str, int]] = {pk: {} for pk in dataset_ids}
    by_run: dict[int, int] = {}
    counted = (
        CountedComparison.objects.filter(dataset__in=first).order_by("created_at", "pk") if first else []
    )
    for one in counted:
        seen = first[one.dataset_id]
        number = seen.setdefault(one.outputs, len(seen) + 1)
        if one.run_id is not None:
            by_run[one.run_id] = number
    return by_run
