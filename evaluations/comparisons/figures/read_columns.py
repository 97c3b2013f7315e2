"""The columns of all sides by one evaluator, read when a family needs them."""

from dataclasses import dataclass, field

from evaluations.evaluators.recipe import Recipe
from evaluations.statistics.clusters import Grouping
from evaluations.statistics.terms import ColumnSet, Scale

from ..alignment.aligned import Aligned
from ..alignment.alignment import Aligner
from ..alignment.contributions import Contributions, scale_of


@dataclass
class ReadColumns:
    """Reads the scores of the aligned sides, and keeps those read last. `scales` are by evaluator id."""

    aligner: Aligner
    scales: dict[int, Scale]
    _read: dict[int, Aligned] = field(default_factory=dict)
    _contributed: dict[int, Contributions] = field(default_factory=dict)

    def aligned(self, evaluator_id: int) -> Aligned:
        """The scores of all sides by one evaluator; those read last are cached."""
        if evaluator_id not in self._read:
            self._read = {}  # Drop the previous one first: with a million examples each takes much memory.
            self._read = {evaluator_id: self.aligner.aligned(evaluator_id, self.scales[evaluator_id])}
        return self._read[evaluator_id]

    def column_set(self, evaluator_id: int, aligned: Aligned, grouping: Grouping | None = None) -> ColumnSet:
        """What all families compare of an evaluator: one column for each side, with a value for each example.

        If its headline is a run statistic, the values are what examples, or whole clusters, contribute to it.
        """
        scale, contributed = self.scales[evaluator_id], self.contributions(evaluator_id, aligned)
        if contributed is None:
            return ColumnSet(scale, aligned.columns)
        columns = contributed.columns(None if grouping is None else grouping.codes)
        return ColumnSet(scale_of(scale, contributed.recipe), columns)

    def contributions(self, evaluator_id: int, aligned: Aligned) -> Contributions | None:
        """The contributions to the evaluator's headline; None if it is the mean."""
        recipe = Recipe.from_version(self.aligner.scorings(evaluator_id)[0].evaluator_version)
        if recipe.headline is None:
            return None
        if evaluator_id not in self._contributed:
            contributed = Contributions(self.aligner, evaluator_id, recipe, aligned)
            self._contributed = {evaluator_id: contributed}  # Like `_read`, only the last one is kept.
        return self._contributed[evaluator_id]

    def forget(self) -> None:
        """Drop what was read last, which takes much memory."""
        self._read, self._contributed = {}, {}
