"""An advised evaluator fitted to rows without a right answer, and to numbers that are grades."""

from collections.abc import Sequence
from typing import Any

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised import Advised
from evaluations.kinds.advising import WHOLE_TEXTS, rights
from evaluations.values import JSON

from .abstentions import unanswerable
from .advised_reading import with_abstentions, without_calls
from .numbers_near import said_otherwise, tolerance

OF_TEXTS = (*WHOLE_TEXTS, "token_f1")  # kinds by which “unanswerable” may be right


def for_empty_rows(
    advised: Advised, mapping: dict[str, Any], references: Sequence[JSON], outputs: Sequence[JSON]
) -> tuple[Advised, dict[str, Any], str]:
    """The advice and the mapping for rows without a right answer, and what speaks against leaving these out, or ""."""
    nothing = unanswerable([rights(advised, one) for one in references], outputs)
    if nothing and advised.kind in OF_TEXTS and not advised.is_code:
        return advised._replace(reason=f"{advised.reason}; {nothing}"), with_abstentions(mapping), ""
    if advised.kind == "tool_calls" and any(one in (None, "") for one in references):
        reason = f"{advised.reason}, and no call where a reference is empty"
        return advised._replace(reason=reason), without_calls(mapping), ""
    return advised, mapping, nothing


def for_grades(
    advised: Advised, mapping: dict[str, Any], references: Sequence[JSON], outputs: Sequence[JSON]
) -> Advised:
    """The advice with a tolerance, if the numbers are grades that are hardly ever the same."""
    if advised.kind != "numeric_match" or advised.config:
        return advised
    if said_otherwise(Recipe.compile(advised.kind, advised.config, mapping), references, outputs):
        return advised
    width = tolerance(references, outputs)
    reason = f"{advised.reason}; many outputs are near it, so {width:g} more or less is right"
    return advised._replace(reason=reason, config={"tolerance": width}) if width else advised
