"""Comparisons of some variants of an experiment, where the verdict among all of them counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.experiments import experiments, for_gates
from evaluations.experiments.about import identity
from evaluations.models import Experiment, Run
from evaluations.results.shown import scorings_by_run
from evaluations.statistics.wording import Part

from .alignment.sides import newest_comparable


@dataclass(frozen=True)
class PartOfExperiment:
    """So many variants are `here`, of all `variants` of the experiment, with runs that a pipeline sent for a gate."""

    experiment: Experiment
    variants: int
    here: int
    with_sent: int
    every: Sequence[Run]  # a run of each variant that the experiment compares

    @property
    def told(self) -> list[Part]:
        """Whose verdict counts: among more variants a difference must be larger."""
        among = "of the" if self.here == self.variants else "among all"
        counts = f"The verdict that counts is that {among} {self.variants} variants of {self.experiment.name}"
        if self.with_sent:
            return [("", f"{counts}, without runs that were sent for a gate.")]
        why = "of more variants, one looks better by luck more often, so its intervals are wider."
        return [("", f"{counts}: {why}")]


def part_of(runs: Sequence[Run]) -> PartOfExperiment | None:
    """None where these are all variants that the experiment compares, or runs of several experiments."""
    every = {run.experiment for run in runs}
    if len(every) > 1:
        return None
    [experiment] = every
    shown = experiments.exported_runs(experiment)
    scorings = scorings_by_run(shown)
    compared = newest_comparable([run for run in shown if scorings[run.pk]])
    variants = len({identity(run) for run in compared})
    own = for_gates.variants_among(runs)
    here, with_sent = len({identity(run) for run in own}), len(runs) - len(own)
    if here < 2 or (here >= variants and not with_sent):
        return None
    return PartOfExperiment(experiment, variants, here, with_sent, compared)
