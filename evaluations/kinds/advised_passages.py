"""Whether answers are passages of the text asked about, as in reading comprehension."""

from collections.abc import Sequence
from itertools import cycle

from evaluations.values import JSON

from .advised_fields import opened
from .advised_texts import bare, count_words

MOST_ROWS = 0.9  # share of rows whose text must have the right answer in it
ALONE = 0.3  # share of the answers that must be passages and nothing else: one variant of three may give them
TIMES = 5  # as many words as a passage has at most, the text of a row has at least


def are_extracted(references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> bool:
    """Whether references are passages of the inputs, and so are many outputs, without words beside them.

    Then answers are to be passages: a sentence that has one in it says more than was asked.

    >>> text = "The mill of Ahlen was built in 1830 by two brothers, and burned down in the spring of 1912."
    >>> are_extracted(["two brothers"], ["in the spring", "It was two brothers."], [text])
    True
    >>> are_extracted(["two brothers"], ["They were two brothers.", "It was two brothers."], [text])
    False
    """
    if not inputs or len(inputs) != len(references):
        return False
    texts = [bare(text) for text in inputs]
    held = [_rights(one) for one in references]
    fits = sum(
        any(
            known.strip() and known in text and count_words(text) >= TIMES * count_words(known)
            for known in rights
        )
        for rights, text in zip(held, texts, strict=True)
    )
    if fits < MOST_ROWS * len(references):
        return False
    return _are_passages(outputs, texts)


def _rights(reference: JSON) -> list[str]:
    found = opened(reference)
    return [bare(one) for one in (found if isinstance(found, list) else [reference])]


def _are_passages(outputs: Sequence[JSON], texts: Sequence[str]) -> bool:
    said = [
        (bare(output), text)
        for output, text in zip(outputs, cycle(texts), strict=False)
        if output not in (None, "")
    ]
    return bool(said) and sum(output in text for output, text in said) >= ALONE * len(said)
