"""Whether references are transcripts of speech, or of scanned pages, whose words or letters are counted."""

from collections.abc import Sequence
from itertools import cycle
from statistics import median
from typing import Any

from rapidfuzz.distance import Levenshtein

from evaluations import linear
from evaluations.values import JSON, text_of

from .advised_texts import LONGEST, bare

SPEECH = linear.Pattern(r"(?i)\.(?:wav|mp3|flac|ogg|opus|m4a|aac|wma|amr)\b")
SCANS = linear.Pattern(r"(?i)\.(?:png|jpe?g|tiff?|bmp|webp|pdf)\b")
SIGNS = {*".,;:!?"}
MOST_ERRORS = 0.5  # errors by words of the reference, in half of the outputs
LOOKED_AT = 200  # outputs
SENTENCE = 4  # words
# letter case and punctuation are no words that were heard
AS_HEARD: dict[str, Any] = {
    "step": "normalize",
    "case": "fold",
    "punctuation": "remove",
    "whitespace": "collapse",
}


def unit_of_errors(references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> str:
    """ "word" for transcripts of speech, "character" for those of scans; "" of other texts.

    The inputs name the files, or outputs have nearly the words of the reference: without its punctuation, or where
    neither has any, all is in one letter case, and nothing was asked.
    """
    if (outputs or inputs) and _errors(references, outputs) > MOST_ERRORS:
        return ""
    for pattern, unit in ((SPEECH, "word"), (SCANS, "character")):
        if sum(bool(pattern.search(text_of(one) or "")) for one in inputs) * 2 > len(references):
            return unit
    are_heard = _are_bare(references, outputs) or (not inputs and _are_words_alone([*references, *outputs]))
    return "word" if outputs and are_heard else ""


def _errors(references: Sequence[JSON], outputs: Sequence[JSON]) -> float:
    """The errors by words of the reference in the middle one of the first outputs; 0 without any."""
    rows = [*zip(outputs, cycle(references), strict=False)][:LOOKED_AT]
    pairs = [
        (bare(output).split(), bare(known).split()) for output, known in rows if output not in (None, "")
    ]
    return median([Levenshtein.distance(*pair) / max(len(pair[1]), 1) for pair in pairs] or [0.0])


def _are_bare(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether nearly all references have punctuation, and all outputs of a variant hardly any."""
    size = len(references)
    signed = sum(bool(SIGNS & {*(text_of(one) or "")}) for one in references)
    variants = [outputs[start : start + size] for start in range(0, len(outputs), size)]
    unsigned = [
        sum(not SIGNS & {*(text_of(one) or "")[:LONGEST]} for one in variant if one not in (None, ""))
        for variant in variants
    ]
    return signed * 10 > 9 * size and any(count * 10 > 9 * size for count in unsigned)


def _are_words_alone(texts: Sequence[JSON]) -> bool:
    """Whether texts are sentences without signs in one letter case, as recognisers of speech write them."""
    present = [text for one in texts if (text := text_of(one))]
    lengths = [len(text.split()) for text in present]
    is_one_case = all(map(str.islower, present)) or all(map(str.isupper, present))
    return bool(present) and is_one_case and median(lengths) >= SENTENCE and not SIGNS & {*"".join(present)}
