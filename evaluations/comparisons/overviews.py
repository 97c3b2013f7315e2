"""Short overviews of experiments for lists: the best variant, its difference, and the number of examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from evaluations.experiments import experiments
from evaluations.models import DatasetVersion, Evaluator, Experiment, Run, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import counted, coverage

from .alignment.sides import newest_comparable
from .comparison import Comparison
from .figures.entries import Entry


@dataclass(frozen=True)
class Overview:
    """One experiment with its shown runs, the default baseline first, and the scorings of all its runs.

    `numbered` are the numbers of comparisons by run, as `counted.numbers`.
    `example_count` is the most examples that a run was asked, `version_count` those of its dataset version; without
    runs both are the same.
    """

    experiment: Experiment
    shown: list[Run]
    runs: list[Run]
    scorings: dict[int, list[Scoring]]
    example_count: int
    version_count: int
    numbered: Mapping[int, int]

    @property
    def going(self) -> list[Run]:
        """The runs in progress, repetitions included."""
        return [run for run in self.runs if run.status in Run.OPEN]

    @property
    def ended_at(self) -> datetime | None:
        """The end of the last run; None while one is in progress or none is scored."""
        if self.going:
            return None
        return max((run.finished_at for run in self.shown if run.finished_at), default=None)

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison that the experiment's page shows; None before a run is scored."""
        scored = newest_comparable([run for run in self.shown if self.scorings.get(run.pk)])
        return Comparison(scored, scored[0], self.scorings, numbered=self.numbered) if scored else None

    @property
    def primary(self) -> Evaluator | None:
        return self.comparison.evaluators.primary if self.comparison else None

    @cached_property
    def entry(self) -> Entry | None:
        """The best variant other than the baseline, against the baseline."""
        if self.comparison is None or self.primary is None or not self.comparison.sides.others:
            return None
        entries = self.comparison.figures.entries_of(self.primary)
        order = [ranked.side.run for ranked in self.comparison.figures.ranking]
        return min(entries, key=lambda entry: order.index(entry.run) if entry.run in order else len(order))

    @cached_property
    def has_leader(self) -> bool | None:
        """Whether one variant is clearly better than all others by the primary evaluator; None without a comparison."""
        if self.comparison is None or self.entry is None:
            return None
        ranking = self.comparison.figures.ranking
        if ranking:
            return ranking[0].rank == (1, 1)
        return self.entry.paired.verdict in ("better", "worse")


def load(listed: Sequence[Experiment]) -> list[Overview]:
    """The overviews of experiments (with their datasets), in three queries, and a fourth for older versions."""
    runs = list(Run.objects.filter(experiment__in=listed, deleted_at=None, for_gate=False).order_by("pk"))
    by_experiment: dict[int, list[Run]] = {experiment.pk: [] for experiment in listed}
    by_id = {experiment.pk: experiment for experiment in listed}
    for run in runs:
        run.experiment = by_id[run.experiment_id]
        by_experiment[run.experiment_id].append(run)
    scorings = scorings_by_run(runs)
    numbered = counted.numbers_of({experiment.dataset_id for experiment in listed})
    counts = counts_of_versions([experiment for experiment in listed if not _is_newest(experiment)])
    whole = {
        experiment.pk: experiment.dataset.example_count
        if _is_newest(experiment)
        else counts.get((experiment.dataset_id, experiment.dataset_version), 0)
        for experiment in listed
    }
    return [
        Overview(
            experiment,
            experiments.newest_by_variant(by_experiment[experiment.pk], experiment.baseline),
            by_experiment[experiment.pk],
            scorings,
            _asked(by_experiment[experiment.pk], whole[experiment.pk]),
            whole[experiment.pk],
            numbered,
        )
        for experiment in listed
    ]


def _asked(runs: Sequence[Run], whole: int) -> int:
    """The most examples that a run was asked: fewer than the `whole` version for samples, and after it got others."""
    return max((coverage.count(run) or whole for run in runs), default=whole)


def _is_newest(experiment: Experiment) -> bool:
    """Whether it uses the newest version of its dataset, whose size is stored with the dataset."""
    return experiment.dataset_version == experiment.dataset.version


def counts_of_versions(experiments: Sequence[Experiment]) -> dict[tuple[int, int], int]:
    """The number of examples by dataset and version."""
    versions = DatasetVersion.objects.filter(dataset__experiments__in=experiments) if experiments else []
    return {(version.dataset_id, version.number): version.example_count for version in versions}
