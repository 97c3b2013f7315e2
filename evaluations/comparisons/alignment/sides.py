"""The sides of a comparison: single runs, or all runs of one variant; the first is the baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about
from evaluations.experiments.about import identity
from evaluations.models import Dataset, EvaluatorVersion, Experiment, Run, Scoring
from evaluations.short_texts import NARROW, short_names
from evaluations.values import Status

Scorings = Mapping[int, Sequence[Scoring]]
BASELINE = 0  # its index among the sides
NOT_SENT = Status.NOT_SENT.word
MOST_RUNS = 20
FITS_BESIDE = 15  # letters of a name that has room beside a score
MOST_REPEATS = 100  # runs in total, if several are averaged into one column


@dataclass(frozen=True)
class Side:
    """One side: a run, or all runs of a variant, represented by the newest.

    `scorings` are those of the runs by evaluator id.
    """

    run: Run
    runs: Sequence[Run]
    scorings: dict[int, list[Scoring]]

    @classmethod
    def from_runs(cls, runs: Sequence[Run], scorings: Scorings) -> "Side":
        by_evaluator: dict[int, list[Scoring]] = {}
        for scoring in (scoring for run in runs for scoring in scorings[run.pk]):
            by_evaluator.setdefault(scoring.evaluator_version.evaluator_id, []).append(scoring)
        return cls(max(runs, key=lambda run: run.pk), runs, by_evaluator)

    @property
    def is_averaged(self) -> bool:
        return len(self.runs) > 1

    def versions(self, evaluator_id: int) -> set[int | None]:
        """The versions of an evaluator that scored its runs, with None for a run without scores."""
        return self._versions.get(evaluator_id, {None})

    @cached_property
    def _versions(self) -> dict[int, set[int | None]]:
        """The versions by evaluator, because each of its entries asks for them."""
        versions: dict[int, set[int | None]] = {}
        for evaluator_id, scorings in self.scorings.items():
            numbers = {scoring.run_id: scoring.evaluator_version.number for scoring in scorings}
            versions[evaluator_id] = {numbers.get(run.pk) for run in self.runs}
        return versions

    def is_partly_embedded(self, evaluator_id: int) -> bool:
        """Whether only texts with a stored vector have a score, because nobody named money for the others."""
        return any(
            bool(scoring.summary and scoring.summary["counts"].get(NOT_SENT))
            and Recipe.from_version(scoring.evaluator_version).needs_server
            for scoring in self.scorings.get(evaluator_id, [])
        )


@dataclass(frozen=True, eq=False)
class Sides:
    """The sides in order, the baseline first, with the scorings of their runs by run id."""

    every: Sequence[Side]
    runs: Sequence[Run]
    scorings_by_run: Scorings

    @classmethod
    def of_runs(cls, runs: Sequence[Run], baseline: Run, scorings: Scorings, repeats: bool) -> "Sides":
        """A side for each run, or with `repeats` for each variant of an experiment; raises `Invalid`.

        Runs with one name but a different `about` are different variants.
        """
        ordered = [baseline, *(run for run in runs if run.pk != baseline.pk)]
        check_comparable(ordered)
        groups: dict[Any, list[Run]] = {}
        for run in ordered:
            groups.setdefault((run.experiment_id, *identity(run)) if repeats else run.pk, []).append(run)
        if len(groups) > MOST_RUNS or len(ordered) > MOST_REPEATS:
            raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
        return cls([Side.from_runs(group, scorings) for group in groups.values()], ordered, scorings)

    def __getitem__(self, index: int) -> Side:
        return self.every[index]

    def __len__(self) -> int:
        return len(self.every)

    def __iter__(self) -> Iterator[Side]:
        return iter(self.every)

    @property
    def baseline(self) -> Side:
        return self.every[BASELINE]

    @property
    def others(self) -> Sequence[Side]:
        """All sides but the baseline."""
        return self.every[BASELINE + 1 :]

    @property
    def experiment(self) -> Experiment:
        """The experiment of the baseline, whose primary evaluator and margins count."""
        return self.baseline.run.experiment

    @property
    def dataset(self) -> Dataset:
        return self.experiment.dataset

    @cached_property
    def scorings(self) -> dict[Run, Sequence[Scoring]]:
        """The scorings of every run."""
        return {run: self.scorings_by_run[run.pk] for run in self.runs}

    @cached_property
    def versions(self) -> dict[Run, dict[int, EvaluatorVersion]]:
        """By run and evaluator id, the version that scored it."""
        return {
            run: {s.evaluator_version.evaluator_id: s.evaluator_version for s in scorings}
            for run, scorings in self.scorings.items()
        }

    def label(self, run: Run) -> str:
        """The name of a run's variant, with the run's number if another side has the same."""
        return about.label(run, [side.run for side in self.every])

    @cached_property
    def labels(self) -> list[str]:
        """The names of all sides."""
        return [self.label(side.run) for side in self.every]

    @cached_property
    def short_names(self) -> dict[str, str]:
        """By name, what is shown of it in sentences and heads."""
        return short_names(self.labels)

    @cached_property
    def narrow_names(self) -> dict[str, str]:
        """By name, what is shown of it in menus, and beside drawings and scores."""
        return short_names(self.labels, NARROW)

    @property
    def has_wide_names(self) -> bool:
        """Whether a name fills what is left for it beside scores."""
        return max(map(len, self.narrow_names.values())) > FITS_BESIDE


def check_comparable(runs: Sequence[Run]) -> None:
    """Raise `Invalid` for runs of different projects; versions and datasets may differ."""
    if len({run.project_id for run in runs}) > 1:
        names = ", ".join(sorted({run.experiment.dataset.name for run in runs}))
        raise Invalid("not_comparable", f"These runs are of different projects: {names}.")


def newest_comparable(runs: Sequence[Run]) -> list[Run]:
    """As many as can be compared: of the first variant, the baseline, and of the newest others, the newest runs.

    The runs of a variant are in order of creation.
    """
    by_variant: dict[Any, list[Run]] = {}
    for run in runs:
        by_variant.setdefault(identity(run), []).append(run)
    variants = list(by_variant.values())
    chosen = [*variants[:1], *variants[1:][1 - MOST_RUNS :]]
    return [run for repeats in chosen for run in repeats[-(MOST_REPEATS // len(chosen)) :]]
