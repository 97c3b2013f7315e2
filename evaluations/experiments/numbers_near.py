"""Numbers that outputs say otherwise than the reference: near it as grades are, as hundredths, or in words."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import cycle

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised_lists import as_words
from evaluations.kinds.advised_numbers import NUMBER_WORDS
from evaluations.kinds.numeric_match import NumericMatchConfig, NumericMatchConfig2
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


def said_otherwise(recipe: Recipe, references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """What speaks against comparing numbers as they are: outputs that say hundredths or words; "" if none do."""
    config = recipe.parsed
    if not isinstance(config, NumericMatchConfig) or config.tolerance:
        return ""
    known, said = _numbers(config, references, outputs)
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
    return ""


def tolerance(references: Sequence[JSON], outputs: Sequence[JSON]) -> float:
    """A tenth of the range of most references, where more outputs are so near than are right; 0 for other numbers.

    References without decimals are counts, of which only the same one is right. The lowest and the highest tenth of the
    references say nothing of their range: one large amount would make all small ones right.

    >>> tolerance(["1.0", "2.5", "4.5"], ["1.2", "2.2", "4.5", "1.1", "2.4", "1.5"])
    0.4
    """
    known, said = _numbers(NumericMatchConfig2(), references, outputs)
    present = sorted(number for number in known if number is not None and number.is_finite())
    parts = sum(number != number.to_integral_value() for number in present)
    if not said or parts <= FRACTIONS * len(present):
        return 0.0
    tenth = len(present) // 10
    width = NEAR * (present[-1 - tenth] - present[tenth])
    if not width:
        return 0.0
    width = width.quantize(Decimal(1).scaleb(width.adjusted()))  # one figure
    apart = [
        abs(one - right)
        for one, right in zip(said, cycle(known), strict=False)
        if one is not None and right is not None
    ]
    same, near = sum(not one for one in apart), sum(0 < one <= width for one in apart)
    return 0.0 if near <= max(same, MANY * len(apart)) else float(width)


def _numbers(
    config: NumericMatchConfig, references: Sequence[JSON], outputs: Sequence[JSON]
) -> tuple[list[Decimal | None], list[Decimal | None]]:
    """The numbers of references and of outputs; None where there is none."""
    said = [config.number(split_reasoning(text_of(output) or "")[1]) for output in outputs]
    return [config.number(reference) for reference in references], said
