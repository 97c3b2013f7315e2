"""Whether an evaluator that scored earlier data finds anything in new one."""

from collections.abc import Sequence

from evaluations.errors import Refusal
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.evidence import ALL_COLUMNS, Pair
from evaluations.models import Evaluator
from evaluations.values import MAXIMIZE

from .advised_scores import scores

ENOUGH = 10  # outputs from which finding none says something


def finds_none(evaluator: Evaluator, pairs: Sequence[Pair]) -> bool:
    """Whether it gives none of these outputs, with the references by column, more than the lowest score.

    Not if less is better, or if it would ask a server or read what others said.
    """
    try:
        recipe = Recipe.from_version(evaluators.newest(evaluator))
    except Refusal:
        return False
    kind = recipe.kind
    is_computed = not (kind.needs_connection or kind.is_recorded or kind.is_derived)
    if not is_computed or recipe.direction != MAXIMIZE or len(pairs) < ENOUGH:
        return False
    return not any(scores(recipe, pairs, ALL_COLUMNS))
