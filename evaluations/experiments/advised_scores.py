"""What advised evaluators say of outputs, and the looser reading that stands beside an exact match."""

from collections.abc import Sequence
from typing import Any

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.evidence import Looser, Pair, contexts_of, optional
from evaluations.values import JSON

from .advised_choice import AdvisedChoice
from .advised_reading import ANY_SIGNS


def scores(recipe: Recipe, pairs: Sequence[Pair], name: str) -> list[float | None]:
    """The scores of outputs against references, read as the recipe does."""
    return optional(recipe.scores(contexts_of(pairs, name)).values.tolist())


def looser(kind: str, config: dict[str, JSON], mapping: dict[str, Any], column: str) -> Looser | None:
    """Exact match as it is, but for case, spaces and punctuation; None for kinds that read texts in other ways."""
    if kind != "exact_match":
        return None
    read = {
        side: mapping.get(side, {}) | {"read": [*(mapping.get(side, {}).get("read") or []), ANY_SIGNS]}
        for side in ("actual", "expected")
    }
    choice = AdvisedChoice(kind, {}, mapping | read)
    recipe = Recipe.compile(*choice)
    return Looser(choice.label, choice.mapping, lambda usable: scores(recipe, usable, column))
