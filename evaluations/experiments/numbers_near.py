"""Numbers that are near the reference without being the same, as grades and measurements are."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import cycle

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised_lists import as_words
from evaluations.kinds.advised_numbers import NUMBER_WORDS
from evaluations.kinds.numeric_match import NumericMatchConfig
from evaluations.mapping.reasoning import split_reasoning
from evaluations.values import JSON, text_of

NEAR = Decimal("0.1")  # of the range of the references
SOME = 0.05  # share of the outputs that may be a hundredth of the reference
MANY = 0.2  # share of the outputs that must be near, and more than are the same
FRACTIONS = 0.3  # share of the references that must have decimals


def _says_in_words(text: str | None, number: Decimal | None) -> bool:
    """Whether a text without digits has the word of a number."""
    word = NUMBER_WORDS.get(str(number), "")
    is_in_words = bool(text) and word != "" and not any(map(str.isdecimal, text or ""))
    return is_in_words and word in as_words(split_reasoning(text or "")[1])


def nearly_right(recipe: Recipe, references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """What speaks against asking for the same number; "" if outputs are right or far away.

    References without decimals are counts, of which only the same one is right.
    """
    config = recipe.parsed
    if not isinstance(config, NumericMatchConfig) or config.tolerance:
        return ""
    known = [config.number(reference) for reference in references]
    said = [config.number(split_reasoning(text_of(output) or "")[1]) for output in outputs]
    parts = sum(
        bool(right) and one == right / 100 for one, right in zip(said, cycle(known), strict=False) if right
    )
    if parts > SOME * len(outputs):
        return f"{parts} of {len(outputs)} outputs are a hundredth of the reference, such as 0.45 for 45"
    words = sum(
        _says_in_words(text_of(output), right) for output, right in zip(outputs, cycle(known), strict=False)
    )
    if words > SOME * len(outputs):
        return f"{words} of {len(outputs)} outputs say the number of the reference in words, such as four"
    present = [number for number in known if number is not None]
    if sum(number % 1 != 0 for number in present) <= FRACTIONS * len(present):
        return ""
    width = NEAR * (max(present) - min(present))
    apart = [
        abs(one - right)
        for one, right in zip(said, cycle(known), strict=False)
        if one is not None and right is not None
    ]
    same, near = sum(not one for one in apart), sum(0 < one <= width for one in apart)
    if near <= max(same, MANY * len(apart)):
        return ""
    return f"{near} of {len(apart)} outputs are near the number of the reference and {same} are the same"
