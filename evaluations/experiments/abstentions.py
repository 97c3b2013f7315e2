"""References that are empty because a question has no answer, which outputs should say."""

from collections.abc import Sequence

from evaluations.mapping.abstentions import says_nothing
from evaluations.values import JSON, text_of

EMPTY = 0.05  # share of the references that must be empty
SAID = 0.2  # share of the outputs there that must say so


def unanswerable(references: Sequence[Sequence[JSON]], outputs: Sequence[JSON]) -> str:
    """Why rows without a right answer are not to be left out; "" if it is right to leave them out.

    >>> unanswerable([["Oslo"], [], ["Rome"], []], ["Oslo", "Unanswerable.", "Rome", "The text does not say."])
    '2 of 4 references are empty, where outputs say that there is no answer'
    """
    size = len(references)
    empty = {row for row, known in enumerate(references) if not any(one not in (None, "") for one in known)}
    if not size or not EMPTY * size <= len(empty) < size:
        return ""
    texts = [text_of(output) or "" for place, output in enumerate(outputs) if place % size in empty]
    said = sum(map(says_nothing, texts))
    if said <= SAID * len(texts):
        return ""
    return f"{len(empty)} of {size} references are empty, where outputs say that there is no answer"
