"""Runs on a dataset, of which its page compares one with a baseline."""

from dataclasses import dataclass

from evaluations.models import Dataset, Run

from ..page_tools import visible

COMPARABLE = 50  # runs in the list


@dataclass(frozen=True)
class ToCompare:
    """The newest runs that can be compared, and of these a baseline and a run to begin with."""

    runs: list[Run]
    baseline: Run
    run: Run


def to_compare(dataset: Dataset) -> ToCompare | None:
    """None with fewer than two completed runs; at first the newest one against the baseline of its experiment."""
    completed = visible.runs().filter(experiment__dataset=dataset, status=Run.Status.COMPLETED)
    runs = list(completed.order_by("-experiment", "-pk")[:COMPARABLE])
    if len(runs) < 2:
        return None
    newest = max(runs, key=lambda run: run.pk)
    beside = [run for run in runs if run.experiment_id == newest.experiment_id]
    named = (run for run in beside if run.variant == newest.experiment.baseline)
    baseline = next(named, beside[-1] if len(beside) > 1 else runs[-1])
    others = [run for run in runs if run != baseline]
    return ToCompare(runs, baseline, newest if newest != baseline else others[0])
