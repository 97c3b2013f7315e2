"""The evaluators of a comparison: which scored its sides, which is primary, and the scale of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evaluations.errors import Invalid
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.kind import Bounds, Family
from evaluations.kinds.people import people
from evaluations.models import Evaluator, Experiment, Scoring
from evaluations.statistics.sentence_facts import SCORED_1
from evaluations.statistics.terms import Scale
from evaluations.values import MINIMIZE, Direction

from .. import file_raters
from ..alignment.sides import Side, Sides
from ..people import standing
from . import rating_scales, unreadable

MOST_STEPS = 10  # between the lowest and the highest of scores that look like ratings


@dataclass(frozen=True, eq=False)
class Evaluators:
    """Every evaluator that scored one of the sides: the primary first, then by age."""

    sides: Sides
    _recipes: dict[int, Recipe] = field(default_factory=dict)

    @cached_property
    def every(self) -> list[Evaluator]:
        versions = {
            scorings[0].evaluator_version for side in self.sides for scorings in side.scorings.values()
        }
        scored = {version.evaluator for version in versions if Recipe.from_version(version).has_means}
        ordered = sorted(scored, key=lambda evaluator: evaluator.pk)
        chosen = _primary(self.sides, ordered)
        return [chosen, *(evaluator for evaluator in ordered if evaluator != chosen)] if chosen else []

    def __getitem__(self, index: int) -> Evaluator:
        return self.every[index]

    def __iter__(self) -> Iterator[Evaluator]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.every)

    @property
    def primary(self) -> Evaluator | None:
        """The primary evaluator; None if no run is scored."""
        return next(iter(self.every), None)

    @property
    def secondary(self) -> Sequence[Evaluator]:
        return self.every[1:]

    def named(self, id_or_name: str) -> Evaluator | None:
        """The evaluator with this name or id, for "" the primary one; raises `Invalid` for any other."""
        if not id_or_name:
            return self.primary
        if evaluator := by_id_or_name(self.every, id_or_name):
            return evaluator
        message = f"These runs have no scores by “{id_or_name[:200]}”."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})

    # ---- scales --------------------------------------------------------------------------------------------

    def scoring(self, evaluator_id: int) -> Scoring:
        """The scoring that gives an evaluator's direction and bounds: the baseline's, else the first."""
        return next(side.scorings[evaluator_id][-1] for side in self.sides if evaluator_id in side.scorings)

    @cached_property
    def scales(self) -> dict[int, Scale]:
        """By evaluator id."""
        return {evaluator.pk: self._scale(evaluator.pk) for evaluator in self.every}

    def direction(self, evaluator_id: int) -> Direction:
        return self.scales[evaluator_id].direction

    def lower_is_better(self, evaluator_id: int) -> bool:
        return self.direction(evaluator_id) == MINIMIZE

    def sign(self, evaluator_id: int) -> int:
        """What a difference is multiplied by so that better is positive."""
        return -1 if self.lower_is_better(evaluator_id) else 1

    def tie(self, evaluator_id: int) -> float:
        """The tie tolerance: differences up to this size count as ties."""
        return self.scales[evaluator_id].tie

    def bounds(self, evaluator_id: int) -> Bounds:
        return self._recipe(evaluator_id).bounds

    def headline(self, evaluator_id: int) -> str | None:
        """The name of the run statistic that is compared; None for the mean."""
        return self._recipe(evaluator_id).headline

    def compared_name(self, evaluator: Evaluator) -> str:
        """The name of an evaluator in sentences, with the run statistic that is compared."""
        title = self.headline_title(evaluator.pk)
        return evaluator.name if title is None else f"{evaluator.name} ({title})"

    def headline_title(self, evaluator_id: int) -> str | None:
        recipe = self._recipe(evaluator_id)
        return None if recipe.headline is None else recipe.statistic(recipe.headline).title

    def unit(self, evaluator_id: int) -> str | None:
        """The unit of an evaluator's scores, such as "edits"."""
        return self._recipe(evaluator_id).kind.unit

    def share(self, evaluator_id: int) -> str:
        """The word for a score of 1 if all scores are 0 or 1, whose means are shares: "right"; "" for other scores."""
        return self._recipe(evaluator_id).share

    def is_share(self, evaluator_id: int) -> bool:
        """Whether means are shown as per cent: of answers, or of parts of them."""
        return self._recipe(evaluator_id).is_per_cent

    def counted(self, evaluator_id: int) -> str:
        """What the mean is a share of, such as "answers right" or "fields right"; "" if it is no share."""
        recipe = self._recipe(evaluator_id)
        if recipe.is_share:
            return f"answers {recipe.share}" if recipe.share else SCORED_1
        return recipe.parts if recipe.direction == "maximize" else ""

    def scale_told(self, evaluator_id: int) -> str:
        """What the scores range over, who gave them and whether lower is better, for the sentence: "1 to 5", "by Anna
        and Ben", "lower is better".

        Without a declared range, what ratings range over that were seen: whole numbers, a few steps apart.
        """
        if self.headline(evaluator_id):
            return ""
        told = [] if self.is_share(evaluator_id) else self._range_told(evaluator_id)
        version = self.scoring(evaluator_id).evaluator_version
        if raters := file_raters.of(self.sides.experiment, version):
            told = [*told, f"by {raters}"]
        return ", ".join([*told, *(["lower is better"] if self.lower_is_better(evaluator_id) else [])])

    def _range_told(self, evaluator_id: int) -> list[str]:
        low, high = self.bounds(evaluator_id)
        is_known = low is not None and high is not None
        return [f"{low:g} to {high:g}"] if is_known else self._ratings(evaluator_id)

    def _ratings(self, evaluator_id: int) -> list[str]:
        """Such as "1 to 5" where several people graded, else "scores 1 to 5"; empty unless they look like ratings."""
        if scale := self.graded_on(evaluator_id):
            return [f"{scale[0]:g} to {scale[1]:g}"]
        return [f"scores {low:g} to {high:g}" for low, high in self._whole_ends(evaluator_id)]

    def graded_on(self, evaluator_id: int) -> rating_scales.Ends | None:
        """The usual scale on which several people graded, whose columns a file brought along; None for other scores."""
        version = self.scoring(evaluator_id).evaluator_version
        if not file_raters.is_of_file(version) or self.lower_is_better(evaluator_id):
            return None
        others = [other.pk for other in self.every if other.pk != evaluator_id]
        beside = [
            ends
            for other in others
            if file_raters.is_of_file(self.scoring(other).evaluator_version)
            and not self.lower_is_better(other)
            for ends in self._whole_ends(other)
        ]
        are_means = bool(file_raters.of(self.sides.experiment, version))
        seen = self._seen(evaluator_id) if are_means else [*self._whole_ends(evaluator_id)]
        return rating_scales.usual(seen[0], beside, are_means=are_means) if seen else None

    def _seen(self, evaluator_id: int) -> list[rating_scales.Ends]:
        """The lowest and the highest score of all sides; empty without any from outside."""
        if not self.is_outside(evaluator_id):
            return []
        summaries = [
            scoring.summary for side in self.sides for scoring in side.scorings.get(evaluator_id, [])
        ]
        ends = [summary[end] for summary in summaries if summary for end in ("min", "max")]
        known = [float(end) for end in ends if end is not None]
        return [(min(known), max(known))] if known else []

    def _whole_ends(self, evaluator_id: int) -> list[rating_scales.Ends]:
        """The same, empty unless both are whole numbers that lie a few steps apart."""
        seen = self._seen(evaluator_id)
        return [
            (low, high)
            for low, high in seen
            if low.is_integer() and high.is_integer() and 1 < high - low <= MOST_STEPS
        ]

    def has_statistics(self, evaluator_id: int) -> bool:
        """Whether a run has statistics of its own by it, such as those of labels."""
        return self._recipe(evaluator_id).has_statistics

    def unread_as(self, evaluator_id: int) -> str:
        """The beginning of a sentence about answers from which the evaluator reads nothing."""
        return unreadable.words(self._recipe(evaluator_id))

    def is_outside(self, evaluator_id: int) -> bool:
        """Whether the scores come from outside Evalsite, so that no reference is read."""
        return self._recipe(evaluator_id).kind.family == Family.OUTSIDE

    def is_of_people(self, evaluator_id: int) -> bool:
        return self._recipe(evaluator_id).kind.key == people.key

    def is_rated(self, evaluator_id: int) -> bool:
        """Whether people gave the scores: labels here, or whole numbers a few steps apart that a file brought along."""
        is_of_file = file_raters.is_of_file(self.scoring(evaluator_id).evaluator_version)
        return self.is_of_people(evaluator_id) or (is_of_file and bool(self._ratings(evaluator_id)))

    def _scale(self, evaluator_id: int) -> Scale:
        recipe, averaged = self._recipe(evaluator_id), any(side.is_averaged for side in self.sides)
        low, high = recipe.bounds
        margin, tied_within = (
            chosen.get(str(evaluator_id))
            for chosen in (self.sides.experiment.margins, self.sides.experiment.ties)
        )
        return Scale(recipe.direction, recipe.kind.binary and not averaged, low, high, margin, tied_within)

    def _recipe(self, evaluator_id: int) -> Recipe:
        if evaluator_id not in self._recipes:
            self._recipes[evaluator_id] = Recipe.from_version(self.scoring(evaluator_id).evaluator_version)
        return self._recipes[evaluator_id]

    # ---- versions ------------------------------------------------------------------------------------------

    def versions(self, evaluator: Evaluator) -> set[int | None]:
        """The versions of an evaluator that scored the runs, with None for a run that it did not score."""
        return set().union(*(side.versions(evaluator.pk) for side in self.sides))

    def is_behind(self, evaluator: Evaluator) -> bool:
        """Whether an evaluator has a newer version than those that scored these runs."""
        return max(n for n in self.versions(evaluator) if n) < evaluator.version

    @cached_property
    def uneven(self) -> list[Evaluator]:
        """Evaluators that did not score all runs, or not all with the same version."""
        return [evaluator for evaluator in self.every if len(self.versions(evaluator)) > 1]

    @property
    def scorable(self) -> list[Evaluator]:
        """Those of `uneven` that score at a click: labels of people and scores that were sent are not computed here."""
        return [evaluator for evaluator in self.uneven if not self._recipe(evaluator.pk).kind.is_recorded]

    @property
    def alignable(self) -> list[Evaluator]:
        """Those of `scorable` whose newest version has scored some of these runs."""
        return [evaluator for evaluator in self.scorable if not self.is_behind(evaluator)]


def _primary(sides: Sides, evaluators: Sequence[Evaluator]) -> Evaluator | None:
    """The experiment's primary evaluator if it scored all runs, else the first that did, else the first of all.

    Labels for reading are last, since they give no verdict.
    """
    usable = [evaluator for evaluator in evaluators if evaluator.deleted_at is None] or list(evaluators)
    usable = sorted(usable, key=lambda evaluator: _is_for_reading(sides, evaluator))
    complete = [evaluator for evaluator in usable if not any(_lacks(side, evaluator) for side in sides)]
    ordered = complete or usable
    stored = [evaluator for evaluator in ordered if evaluator.pk == sides.experiment.primary_id]
    return next(iter([*stored, *ordered]), None)


def _is_for_reading(sides: Sides, evaluator: Evaluator) -> bool:
    scorings = next(side.scorings[evaluator.pk] for side in sides if evaluator.pk in side.scorings)
    return standing.is_for_reading(scorings[-1].evaluator_version)


def _lacks(side: Side, evaluator: Evaluator) -> bool:
    return None in side.versions(evaluator.pk)


def is_replaced(experiment: Experiment, chosen: Evaluator | None) -> bool:
    """Whether the chosen evaluator differs from the experiment's primary evaluator."""
    return experiment.primary_id is not None and chosen is not None and chosen.pk != experiment.primary_id
