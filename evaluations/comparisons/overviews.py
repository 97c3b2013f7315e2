"""Experiments at a glance, for the lists: who is closer to the references, and by how much."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import accumulate

from evaluations import kinds
from evaluations.experiments import experiments
from evaluations.models import EvaluatorVersion, Experiment, Run, Scoring
from evaluations.results import results

from .comparison import Comparison, Entry


@dataclass(frozen=True)
class Verdict:
    """`variant` (empty: all of them) is `word` compared with the baseline, on `count` of `of` evaluators."""

    word: str
    variant: str = ""
    count: int = 0
    of: int = 0


@dataclass(frozen=True)
class Overview:
    """One experiment with its shown runs, the baseline first, and the scorings of all its runs."""

    experiment: Experiment
    shown: list[Run]
    runs: list[Run]
    scorings: dict[int, list[Scoring]]

    @property
    def going(self) -> list[Run]:
        return [run for run in self.shown if run.status in Run.OPEN]

    @property
    def ended_at(self) -> datetime | None:
        """When the last run ended; None while one is going on, or before any was scored."""
        if self.going:
            return None
        return max((run.finished_at for run in self.shown if run.finished_at), default=None)

    @cached_property
    def comparison(self) -> Comparison | None:
        """None where there is nothing to set against a baseline yet."""
        scored = [run for run in self.shown if self.scorings.get(run.pk)]
        return Comparison(scored, scored[0], self.scorings) if len(scored) > 1 else None

    @cached_property
    def evaluator_version(self) -> EvaluatorVersion | None:
        """What the drawings show: the first evaluator of the first run that is scored."""
        first = next((found[0] for run in self.shown if (found := self.scorings.get(run.pk))), None)
        return first.evaluator_version if first else None

    @property
    def entries(self) -> list[Entry]:
        """How each variant compares with the baseline by the first evaluator."""
        found = self.comparison
        wanted = self.evaluator_version and self.evaluator_version.evaluator_id
        return [entry for entry in found.entries if entry.evaluator.pk == wanted] if found else []

    @cached_property
    def verdict(self) -> Verdict | None:
        return verdict(self.comparison.entries) if self.comparison else None

    @property
    def course(self) -> list[float]:
        """The best mean so far by the first evaluator, after each run that has one."""
        if self.evaluator_version is None:
            return []
        is_low_better = kinds.get(self.evaluator_version.kind).direction == "minimize"
        means = [mean for run in self.runs if (mean := self._mean(run)) is not None]
        return list(accumulate(means, min if is_low_better else max))

    def _mean(self, run: Run) -> float | None:
        for scoring in self.scorings.get(run.pk, ()):
            if (
                scoring.evaluator_version.evaluator_id == self.evaluator_version.evaluator_id
                and scoring.summary
            ):
                return scoring.summary["mean"]
        return None


def of(wanted: Sequence[Experiment]) -> list[Overview]:
    """The overviews of experiments (with their datasets), in two queries for all of them."""
    runs = list(Run.objects.filter(experiment__in=wanted, deleted_at=None).order_by("pk"))
    by_experiment: dict[int, list[Run]] = {experiment.pk: [] for experiment in wanted}
    known = {experiment.pk: experiment for experiment in wanted}
    for run in runs:
        run.experiment = known[run.experiment_id]
        by_experiment[run.experiment_id].append(run)
    scorings = results.scorings_by_run(runs)
    return [
        Overview(
            experiment,
            experiments.newest_by_variant(by_experiment[experiment.pk], experiment.baseline),
            by_experiment[experiment.pk],
            scorings,
        )
        for experiment in wanted
    ]


def verdict(entries: Iterable[Entry]) -> Verdict:
    """The one thing worth saying: the variant that is better on most evaluators; else those that are worse.

    Better counts only where it outweighs worse in the same variant. The word may be "mixed" or "cannot_tell".
    """
    tallies: dict[str, dict[str, int]] = {}
    for entry in entries:
        tally = tallies.setdefault(entry.run.variant, {"better": 0, "worse": 0, "cannot_tell": 0})
        tally[entry.paired.verdict] += 1
    best = max(tallies, key=lambda name: tallies[name]["better"] - tallies[name]["worse"])
    tally = tallies[best]
    of = sum(tally.values())
    if tally["better"] > tally["worse"]:
        return Verdict("better", best, tally["better"], of)
    worse = [name for name, found in tallies.items() if found["worse"] > found["better"]]
    if worse and len(worse) == len(tallies):
        return Verdict("worse", worse[0] if len(worse) == 1 else "", tallies[worse[0]]["worse"], of)
    mixed = tally["better"] or tally["worse"]
    return Verdict("mixed" if mixed else "cannot_tell", best, 0, of)
