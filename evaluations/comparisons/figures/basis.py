"""The basis of a comparison: its sides, the evaluators that scored them, and their scales."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from evaluations.errors import Invalid
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import about
from evaluations.kinds.kind import Bounds, Family
from evaluations.models import Dataset, Evaluator, Experiment, Run, Scoring
from evaluations.results.shown import scorings_by_run
from evaluations.statistics.terms import Direction, Scale

from ..alignment.alignment import Missing
from ..alignment.sides import Scorings, sides
from ..grouping import clustering
from ..grouping.example_filter import ALL_EXAMPLES, ExampleFilter
from . import primaries
from .families import AUTO, NONE

MOST_RUNS = 20
MOST_REPEATS = 100  # runs in total, if several are averaged into one column


def newest_comparable(runs: Sequence[Run]) -> list[Run]:
    """As many as can be compared: of the first variant, the baseline, and of the newest others, the newest runs.

    The runs of a variant are in order of creation.
    """
    by_variant: dict[Any, list[Run]] = {}
    for run in runs:
        by_variant.setdefault(about.identity(run), []).append(run)
    variants = list(by_variant.values())
    chosen = [*variants[:1], *variants[1:][1 - MOST_RUNS :]]
    return [run for repeats in chosen for run in repeats[-(MOST_REPEATS // len(chosen)) :]]


class Basis:
    """Runs against a baseline, which is the first of `sides`.

    `scorings` by run may be given if they were read for several comparisons at once. `cluster` names a metadata
    column that groups examples; "auto" detects one, "none" treats all examples as independent. With `repeats` the
    runs of one variant are one side. `missing` is the treatment of examples that a variant did not answer, and
    `example_filter` selects the examples that count.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        baseline: Run,
        scorings: Scorings | None = None,
        *,
        cluster: str = AUTO,
        repeats: bool = False,
        missing: Missing = "worst",
        example_filter: ExampleFilter = ALL_EXAMPLES,
    ):
        self.runs = [baseline, *(run for run in runs if run.pk != baseline.pk)]
        check_comparable(self.runs)
        self._scorings = scorings_by_run(self.runs) if scorings is None else scorings
        self.repeats, self.missing, self.cluster, self.example_filter = (
            repeats,
            missing,
            cluster or AUTO,
            example_filter,
        )
        self.sides = sides(self.runs, self._scorings, repeats)
        if len(self.sides) > MOST_RUNS or len(self.runs) > MOST_REPEATS:
            raise Invalid("too_many_runs", f"At most {MOST_RUNS} runs can be compared.")
        self.baseline, *self.other_sides = self.sides
        self._recipes: dict[int, Recipe] = {}
        if self.cluster not in (AUTO, NONE):
            clustering.check(self.dataset, self.cluster)
        example_filter.check(self.dataset)

    @property
    def dataset(self) -> Dataset:
        return self.experiment.dataset

    @property
    def experiment(self) -> Experiment:
        """The experiment of the baseline, whose primary evaluator and margins count."""
        return self.baseline.run.experiment

    @property
    def scorings(self) -> dict[Run, Sequence[Scoring]]:
        """The scorings of every run."""
        return {run: self._scorings[run.pk] for run in self.runs}

    def label(self, run: Run) -> str:
        """The name of a run's variant, with the run's number if another side has the same."""
        return about.label(run, [side.run for side in self.sides])

    # ---- evaluators ----------------------------------------------------------------------------------------

    @cached_property
    def evaluators(self) -> list[Evaluator]:
        """Every evaluator that scored one of the runs: the primary first, then by age."""
        scoring_evaluators = {
            scorings[0].evaluator_version.evaluator
            for side in self.sides
            for scorings in side.scorings.values()
        }
        ordered = sorted(scoring_evaluators, key=lambda evaluator: evaluator.pk)
        chosen = primaries.choose(self.experiment, ordered, self.sides)
        return [chosen, *(evaluator for evaluator in ordered if evaluator != chosen)] if chosen else []

    @cached_property
    def primary(self) -> Evaluator | None:
        """The primary evaluator; None if no run is scored."""
        return self.evaluators[0] if self.evaluators else None

    def named_evaluator(self, id_or_name: str) -> Evaluator | None:
        """The evaluator with this name or id, for "" the primary one; raises `Invalid` for any other."""
        if not id_or_name:
            return self.primary
        if evaluator := by_id_or_name(self.evaluators, id_or_name):
            return evaluator
        message = f"These runs have no scores by “{id_or_name[:200]}”."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})

    def scoring(self, evaluator_id: int) -> Scoring:
        """The scoring that gives an evaluator's direction and bounds: the baseline's, else the first."""
        return next(side.scorings[evaluator_id][-1] for side in self.sides if evaluator_id in side.scorings)

    def scale(self, evaluator_id: int) -> Scale:
        return self._scales[evaluator_id]

    def unit(self, evaluator_id: int) -> str | None:
        """The unit of an evaluator's scores, such as "edits"."""
        return self._recipe(evaluator_id).kind.unit

    def is_outside(self, evaluator_id: int) -> bool:
        """Whether the scores come from outside Evalsite, so that no reference is read."""
        return self._recipe(evaluator_id).kind.family == Family.OUTSIDE

    def direction(self, evaluator_id: int) -> Direction:
        return self.scale(evaluator_id).direction

    def tie(self, evaluator_id: int) -> float:
        """The tie tolerance: differences up to this size count as ties."""
        return self.scale(evaluator_id).tie

    def bounds(self, evaluator_id: int) -> Bounds:
        return self._recipe(evaluator_id).bounds

    @cached_property
    def _scales(self) -> dict[int, Scale]:
        return {evaluator.pk: self._scale(evaluator.pk) for evaluator in self.evaluators}

    def _scale(self, evaluator_id: int) -> Scale:
        recipe, averaged = self._recipe(evaluator_id), any(side.is_averaged for side in self.sides)
        low, high = recipe.bounds
        margin = self.experiment.margins.get(str(evaluator_id))
        return Scale(recipe.direction, recipe.kind.binary and not averaged, low, high, margin)

    def _recipe(self, evaluator_id: int) -> Recipe:
        if evaluator_id not in self._recipes:
            self._recipes[evaluator_id] = Recipe.from_version(self.scoring(evaluator_id).evaluator_version)
        return self._recipes[evaluator_id]

    # ---- comparable scores ---------------------------------------------------------------------------------

    def versions(self, evaluator: Evaluator) -> set[int | None]:
        """The versions of an evaluator that scored the runs, with None for a run that it did not score."""
        return set().union(*(side.versions(evaluator.pk) for side in self.sides))

    def is_behind(self, evaluator: Evaluator) -> bool:
        """Whether an evaluator has a newer version than those that scored these runs."""
        return max(n for n in self.versions(evaluator) if n) < evaluator.version

    @cached_property
    def uneven(self) -> list[Evaluator]:
        """Evaluators that did not score all runs, or not all with the same version."""
        return [evaluator for evaluator in self.evaluators if len(self.versions(evaluator)) > 1]

    @property
    def alignable(self) -> list[Evaluator]:
        """Evaluators whose newest version has scored some, but not all, of these runs."""
        return [evaluator for evaluator in self.uneven if not self.is_behind(evaluator)]


def check_comparable(runs: Sequence[Run]) -> None:
    """Raise `Invalid` for runs of different projects; versions and datasets may differ."""
    if len({run.project_id for run in runs}) > 1:
        names = ", ".join(sorted({run.experiment.dataset.name for run in runs}))
        raise Invalid("not_comparable", f"These runs are of different projects: {names}.")
