"""What an evaluator that scored earlier data says of new one, and whether it finds anything there."""

from collections.abc import Sequence

from evaluations.errors import Refusal
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.evidence import ALL_COLUMNS, Evidence, Pair, evidence
from evaluations.models import Evaluator
from evaluations.values import MAXIMIZE

from .advised_scores import looser, scores

ENOUGH = 10  # outputs from which finding none says something


def finds_none(evaluator: Evaluator, pairs: Sequence[Pair]) -> bool:
    """Whether it gives none of these outputs, with the references by column, more than the lowest score.

    Not if less is better, or if it would ask a server or read what others said.
    """
    recipe = _computed(evaluator)
    if recipe is None or recipe.direction != MAXIMIZE or len(pairs) < ENOUGH:
        return False
    return not any(scores(recipe, pairs, ALL_COLUMNS))


def evidence_of(evaluator: Evaluator, pairs: Sequence[Pair]) -> Evidence | None:
    """What it says of these outputs, with the references by column; None for several columns."""
    columns = {column for pair in pairs if isinstance(pair.reference, dict) for column in pair.reference}
    if len(columns) != 1:
        return None
    [column] = columns
    beside = [
        pair._replace(reference=pair.reference[column]) for pair in pairs if isinstance(pair.reference, dict)
    ]
    return evidence_beside(evaluator, beside, column)


def evidence_beside(evaluator: Evaluator, pairs: Sequence[Pair], column: str) -> Evidence | None:
    """What it says of these outputs, with their references in this column; None if that would ask a server."""
    recipe = _computed(evaluator)
    if recipe is None:
        return None
    version = evaluators.newest(evaluator)
    return evidence(
        version.kind,
        pairs,
        evaluator.name,
        lambda usable: scores(recipe, usable, column),
        looser=looser(version.kind, version.config, version.mapping, column),
    )


def _computed(evaluator: Evaluator) -> Recipe | None:
    """Its recipe, unless it would ask a server or read what others said."""
    try:
        recipe = Recipe.from_version(evaluators.newest(evaluator))
    except Refusal:
        return None
    kind = recipe.kind
    return None if kind.needs_connection or kind.is_recorded or kind.is_derived else recipe
