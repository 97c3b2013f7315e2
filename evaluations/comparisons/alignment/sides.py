"""The sides of a comparison: single runs, or all runs of one variant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.experiments.about import identity
from evaluations.models import Run, Scoring

Scorings = Mapping[int, Sequence[Scoring]]


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
        numbers = {s.run_id: s.evaluator_version.number for s in self.scorings.get(evaluator_id, [])}
        return {numbers.get(run.pk) for run in self.runs}


def sides(runs: Sequence[Run], scorings: Scorings, repeats: bool) -> list[Side]:
    """A side for each run, or with `repeats` for each variant of an experiment, in the given order.

    Runs with one name but a different `about` are different variants.
    """
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.experiment_id, *identity(run)) if repeats else run.pk, []).append(run)
    return [Side.from_runs(group, scorings) for group in groups.values()]
