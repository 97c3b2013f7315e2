"""References that are empty because a question has no answer, which outputs should say."""

from collections.abc import Sequence

from evaluations import linear
from evaluations.mapping.reasoning import split_reasoning
from evaluations.values import JSON, text_of

EMPTY = 0.05  # share of the references that must be empty
SAID = 0.2  # share of the outputs there that must say so
LOOKED_AT = 300  # characters
NOTHING = linear.Pattern(
    r"(?i)\b(?:unanswerable|not answerable|no answer|n/?a|none|null|unknown|cannot be (?:answered|determined)"
    r"|can(?:not|['’]t) (?:answer|determine|find)|not (?:stated|mentioned|given|specified|provided|enough information)"
    r"|(?:doesn|don|isn)['’]t (?:say|mention|state)|does not (?:say|mention|state|specify|provide|contain))\b"
)


def unanswerable(references: Sequence[Sequence[JSON]], outputs: Sequence[JSON]) -> str:
    """What speaks against leaving out the rows without a right answer; "" if it is right to leave them out.

    >>> unanswerable([["Oslo"], [], ["Rome"], []], ["Oslo", "Unanswerable.", "Rome", "The text does not say."])
    '2 of 4 references are empty, where outputs say that there is no answer, and these rows would not count'
    """
    size = len(references)
    empty = {row for row, known in enumerate(references) if not any(one not in (None, "") for one in known)}
    if not size or not EMPTY * size <= len(empty) < size:
        return ""
    texts = [text_of(output) or "" for place, output in enumerate(outputs) if place % size in empty]
    said = sum(NOTHING.search(split_reasoning(text)[1][:LOOKED_AT]) is not None for text in texts)
    if said <= SAID * len(texts):
        return ""
    return (
        f"{len(empty)} of {size} references are empty, where outputs say that there is no answer, and these rows would"
        " not count"
    )
