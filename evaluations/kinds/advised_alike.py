"""How outputs say short references: alone, in a sentence, among others, in another order."""

from collections.abc import Callable, Collection, Sequence
from itertools import cycle
from statistics import median

from rapidfuzz.distance import Indel

from evaluations.linear import Pattern
from evaluations.mapping.listings import members
from evaluations.mapping.written_values import is_value, written
from evaluations.metrics.whole_words import WITHOUT_BLANKS
from evaluations.values import JSON

from .advised_texts import COMPARED, as_text, bare, count_words

SHORT = 3  # words of a label or name
FEW_ENUMERATED = 0.05  # share of outputs from which their order is not what matters
FEW_BESIDE = 0.02  # share of answers that may say more than the reference
WORDS, LINE = 4, 2_000  # words of a text that is written again, and characters that are compared
AGAIN = 0.75  # likeness of the letters from which half of the outputs write the reference again
_DIGITS = Pattern(r"\p{Nd}+")
FEW_SENTENCES = 0.1  # share of outputs that may be sentences


def members_of(references: Sequence[JSON]) -> list[str]:
    return [member for one in references for member in members(one)]


def are_enumerations(references: Sequence[str], outputs: Sequence[JSON]) -> bool:
    """Whether some outputs list what the reference of their row does, between commas or in lines, in another order."""
    listed = [_members(one) for one in references]
    turned = 0
    for output, known in zip(outputs, cycle(listed), strict=False):
        said = _members(output) if len(known) > 1 else known
        turned += said != known and sorted(said) == sorted(known)
    return turned > FEW_ENUMERATED * len(outputs)


def _members(value: JSON) -> list[str]:
    text = as_text(value)
    return members(text) if len(text) <= COMPARED else []


def same_words(
    references: Sequence[JSON], outputs: Sequence[JSON], of_one: Callable[[list[int]], int] = max
) -> int:
    """How many outputs have the words of the reference beside them alone, of the variant with most or fewest."""
    return of_one(_counts(references, outputs, str.__eq__) or [0])


def say_more(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether some outputs of a variant have the words of the reference beside them among others."""
    more = _counts(references, outputs, lambda said, known: said != known and known in said)
    return max(more, default=0) > FEW_ENUMERATED * len(references)


def _counts(
    references: Sequence[JSON], outputs: Sequence[JSON], fits: Callable[[str, str], bool]
) -> list[int]:
    """How many outputs of each variant fit the reference beside them, both without punctuation."""
    size, known = len(references), [bare(one) for one in references]
    starts = range(0, len(outputs), size)
    return [
        sum(
            fits(bare(output), right)
            for output, right in zip(outputs[start : start + size], known, strict=False)
        )
        for start in starts
    ]


def are_alike(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs are about as long as the references, and hardly any says a reference in a sentence."""
    length = median(count_words(as_text(value)) for value in references)
    if outputs and median(count_words(as_text(value)) for value in outputs) > max(SHORT, 2 * length):
        return False
    known = {bare(value) for value in references}
    parts = {one.strip() if WITHOUT_BLANKS.search(one) else one for one in known}
    said = sum(
        any(one in text for one in parts)
        for value in outputs
        if (text := bare(value)) not in known
        and not is_value(as_text(value))  # 9:00 am is no sentence with 9:00
    )
    return said <= FEW_SENTENCES * len(outputs)


def say_values_otherwise(labels: Collection[str], outputs: Sequence[JSON]) -> bool:
    """Whether more than hardly any outputs say one of these labels as another clock, currency or calendar does.

    >>> say_values_otherwise({"14:00", "none"}, ["2 pm", "none"]), say_values_otherwise({"a", "b"}, ["A", "2 pm"])
    (True, False)
    """
    known = {written(label) for label in labels if is_value(label)}
    texts = [as_text(value).strip() for value in outputs]
    said = sum(is_value(text) and written(text) in known for text in texts if text.casefold() not in labels)
    return said > FEW_SENTENCES * len(outputs)


def are_written_again(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs write whole texts of several words again, as readers of images do, and not a number in them.

    >>> lines = [f"Letter of {who}, {year}" for who, year in (("Ann", 1830), ("Ben", 1841), ("Eva", 1852))]
    >>> are_written_again(lines, ["Lettcr of Ann, 183O", "Letter oi Ben, 1841", "Letter of Eua, 1852"])
    True
    >>> are_written_again(["It is 18 in all", "It is 25 in all"], ["It is 18 in all", "It is 26 in all"])
    False
    """
    texts = [as_text(value) for value in references]
    words = {_DIGITS.sub("", text) for text in texts}
    if not outputs or median(map(count_words, texts)) < WORDS or len(words) * 2 <= len(texts):
        return False
    pairs = zip(map(as_text, outputs), cycle(texts), strict=False)
    return median(Indel.normalized_similarity(said[:LINE], known[:LINE]) for said, known in pairs) >= AGAIN


def are_said_alone(references: Sequence[JSON], answers: Sequence[str]) -> bool:
    """Whether answers are like the references, and hardly any has words beside those of the reference of its row."""
    rows = [(bare(answer), bare(known)) for answer, known in zip(answers, cycle(references), strict=False)]
    beside = sum(known in answer and known != answer for answer, known in rows)
    return bool(rows) and beside <= FEW_BESIDE * len(rows) and are_alike(references, answers)
