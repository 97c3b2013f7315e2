"""Runs side by side. Pages, the API and exports all take their numbers and words from here.

A comparison is made of values, each computed from those before it: the sides, the evaluators that scored them, the
figures, the sentence. Each is computed when it is first read.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from evaluations.models import Run
from evaluations.results.shown import scorings_by_run
from evaluations.statistics.wording import Part
from evaluations.values import Missing

from . import warnings
from .alignment.alignment import Aligner
from .alignment.sides import Scorings, Side, Sides
from .figures.evaluators import Evaluators
from .figures.families import AUTO, NONE
from .figures.figures import Estimate, Figures
from .grouping import clustering
from .grouping.example_filter import ALL_EXAMPLES, ExampleFilter
from .part_of import PartOfExperiment, part_of
from .sentence import Sentence


class Comparison:
    """Runs against a baseline, which is the first of `sides`.

    `scorings` by run, and the numbers of their comparisons (`numbered`), may be given if they were read for several at
    once. `cluster` names a metadata column that groups examples; "auto" detects one, "none" treats all examples as
    independent. With `repeats` the runs of one variant are one side. `missing` is the treatment of examples that a
    variant did not answer, and `example_filter` selects the examples that count. With `estimate` "labels", no evaluator
    helps people's labels. Runs that somebody chose (`is_chosen`) may be of some variants only.
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
        estimate: Estimate = "helped",
        numbered: Mapping[int, int] | None = None,
        is_chosen: bool = False,
    ):
        self.is_chosen = is_chosen
        self.repeats, self.missing, self.example_filter = repeats, missing, example_filter
        self.estimate = estimate
        self.cluster = cluster or AUTO
        read = scorings_by_run([baseline, *runs]) if scorings is None else scorings
        self.sides = Sides.of_runs(runs, baseline, read, repeats)
        self.evaluators = Evaluators(self.sides)
        if self.cluster not in (AUTO, NONE):
            clustering.check(self.sides.dataset, self.cluster)
        example_filter.check(self.sides.dataset)
        aligner = Aligner(self.sides, missing, example_filter)
        self.figures = Figures(self.sides, self.evaluators, aligner, self.cluster, estimate, numbered)
        self.sentence = Sentence(self.figures)

    @cached_property
    def part(self) -> PartOfExperiment | None:
        """The experiment of which the chosen runs are only some variants, so that its own verdict counts."""
        return part_of(self.sides.runs) if self.is_chosen else None

    @cached_property
    def among_all(self) -> list[Part]:
        """The verdict on two chosen variants in the comparison of all variants of their experiment; else empty."""
        if self.part is None or self.part.with_sent or self.repeats or len(self.sides) != 2:
            return []
        baseline, variant = (side.run for side in self.sides)
        if not {baseline, variant} <= {*self.part.every}:
            return []
        whole = Comparison(
            self.part.every,
            baseline,
            cluster=self.cluster,
            missing=self.missing,
            example_filter=self.example_filter,
            estimate=self.estimate,
        )
        return whole.sentence.of_pair(baseline, variant) or whole.sentence.parts

    @cached_property
    def best_first(self) -> list[Side]:
        """The sides as people read them: by rank on the primary evaluator, then those without a rank."""
        ranked = [row.side for row in self.figures.ranking]
        places = {id(side): place for place, side in enumerate(ranked)}
        return sorted(self.sides, key=lambda side: places.get(id(side), len(places)))

    @property
    def aligner(self) -> Aligner:
        return self.figures.aligner

    @cached_property
    def warnings(self) -> list[warnings.Warning]:
        """Warnings about differences between the runs, and about examples that do not count."""
        return warnings.collect(self.figures)
