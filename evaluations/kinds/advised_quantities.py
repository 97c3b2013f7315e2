"""Advice where references are numbers with a unit, which outputs write in other units or words."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations import linear
from evaluations.mapping import quantities
from evaluations.mapping.reading import Reading, compile_steps
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.values import JSON, text_of

from .advised_lists import as_words
from .numeric_match import NumericMatchConfig2

LONGEST = 5_000  # characters at the end of an output
LONGEST_REFERENCE = 60
NEARLY_ALL = 0.9  # share of the references that are counts
SOME = 0.05  # share of the outputs that are right by their number only
COUNT = linear.Pattern(r"^\s*[-+]?\d[\d.,]*\s+\p{L}[\p{L}.-]*(?:\s\p{L}+)?\.?\s*$")
# the text up to the quantity of the answer, where others may follow; a text without such a one as it is
PLACES = {
    r"(?s)\A(.*\*\*[^*\n]*\d[^*\n]*\*\*[^*\d\n]{0,20}|.*)": "in bold",
    r"(?is)\A(.*\banswer\b[^\d\n]{0,30}\d[^\n]{0,30}|.*)": "behind “answer”",
}
LAST: dict[str, Any] = {"step": "quantity"}
WAYS: tuple[list[Any], ...] = (
    [LAST],
    *([{"step": "pattern", "pattern": pattern, "group": 1}, LAST] for pattern in PLACES),
    [LAST | {"match": "first"}],
)
FEWER = 0.02  # share of the outputs by which another way must be better than the last quantity
MOST_UNREAD = 0.5  # share of the outputs that may have no quantity


def are_quantities(references: Sequence[JSON], share: float) -> bool:
    """Whether references are numbers with a unit.

    >>> are_quantities(["4 kg", "1.5 h", "20 °C"], 1), are_quantities(["4 apples", "5 May", "7"], 0.3)
    (True, False)
    """
    return sum(map(_is_one, references)) >= share * len(references)


def _is_one(value: JSON) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_REFERENCE and quantities.is_quantity(value)


def steps_for_quantities(references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """The steps by which most outputs say the quantity of their row; none where more have the words of the reference,
    or where most have no unit."""
    texts, known = _answers(outputs), [text_of(reference) or "" for reference in references]
    said = [text for text in texts if text.strip()]
    if sum(not quantities.found(text) for text in said) > MOST_UNREAD * len(said):
        return []
    hits = [_hits(steps, texts, known) for steps in WAYS]
    best = max(range(len(WAYS)), key=hits.__getitem__)
    best = best if hits[best] - hits[0] > FEWER * len(texts) else 0
    return WAYS[best] if hits[best] >= _literally(texts, known) - FEWER * len(texts) else []


def are_counts(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether references are numbers with what they count, and outputs often have the number with other words.

    >>> are_counts(["4 kg", "12 apples"], ["It is 4.", "12"]), are_counts(["12 apples"], ["She has 12 apples."])
    (True, False)
    """
    known = [text_of(reference) or "" for reference in references]
    if sum(len(one) <= LONGEST_REFERENCE and bool(COUNT.search(one)) for one in known) < NEARLY_ALL * len(
        known
    ):
        return False
    texts, number = _answers(outputs), NumericMatchConfig2().number
    right = map(number, known)
    hits = sum(number(text) == one for text, one in zip(texts, cycle([*right]), strict=False))
    return hits - _literally(texts, known) > SOME * len(texts)


def _answers(outputs: Sequence[JSON]) -> list[str]:
    return [split_reasoning(text_of(output) or "")[1][-LONGEST:] for output in outputs]


def _literally(texts: Sequence[str], references: Sequence[str]) -> int:
    """How many texts have the words of the reference of their row."""
    words = [as_words(one) for one in references]
    return sum(one in as_words(text) for text, one in zip(texts, cycle(words), strict=False))


def _hits(steps: list[Any], texts: Sequence[str], references: Sequence[str]) -> int:
    said, known = ([_read(compile_steps(one), text) for text in side]
                   for one, side in ((steps, texts), ([LAST], references)))  # fmt: skip
    return sum(one is not None and one == right for one, right in zip(said, cycle(known), strict=False))


def _read(steps: Reading, text: str) -> JSON:
    try:
        return steps.value(text)
    except NotFound:
        return None
