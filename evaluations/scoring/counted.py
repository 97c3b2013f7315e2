"""Counts the comparisons ever made on a dataset: each new set of outputs of a candidate is one.

Written by the job that completes a run and by the check of a gate, never by reading a page. All versions of a dataset
count together, because their examples are the same ones by origin.
"""

from hashlib import blake2b

from evaluations.models import CountedComparison, Output, Run


def digest(run_id: int) -> str:
    """A digest of a run's outputs with their positions."""
    hashed = blake2b(digest_size=32)
    outputs = Output.objects.filter(run=run_id, text__isnull=False).order_by("position")
    for position, text in outputs.values_list("position", "text").iterator(10_000):
        packed = (text or "").encode(errors="surrogatepass")
        hashed.update(f"{position}:{len(packed)}:".encode() + packed)
    return hashed.hexdigest()


def is_candidate(run: Run) -> bool:
    """Whether a run is compared with a baseline: its variant is not the experiment's baseline, nor the first one."""
    experiment = run.experiment
    if experiment.baseline:
        return run.variant != experiment.baseline
    first = (
        Run.objects.filter(experiment=experiment, deleted_at=None)
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
        outputs=digest(run.pk),
        defaults={"dataset": experiment.dataset, "dataset_version": experiment.dataset_version},
    )


def numbers(dataset_id: int) -> dict[int, int]:
    """For each counted run the number of its comparison, from 1; equal outputs have the number of the first."""
    first: dict[str, int] = {}
    by_run: dict[int, int] = {}
    counted = CountedComparison.objects.filter(dataset=dataset_id).order_by("pk")
    for run_id, outputs in counted.values_list("run", "outputs"):
        number = first.setdefault(outputs, len(first) + 1)
        if run_id is not None:
            by_run[run_id] = number
    return by_run
