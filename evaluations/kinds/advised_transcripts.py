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
RECORDING = linear.Pattern(r"\S*[_/.-]\S*\d\S*|\S*\d\S*[_/.-]\S*")  # such as sample_0 or clips/17
SIGNS = {*".,;:!?"}
MOST_ERRORS = 0.5  # errors by words of the reference, in half of the outputs
MISREAD = 0.2  # share of the letters of a line, and of a word, that may be misread
MOSTLY = 0.9  # share of the words that differ, in few letters
FEWEST = 10  # lines and words
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
    nothing was asked and references have none, all in one letter case, or words differ in single letters.
    """
    if (outputs or inputs) and _errors(references, outputs) > MOST_ERRORS:
        return ""
    for pattern, unit in ((SPEECH, "word"), (SCANS, "character")):
        if sum(bool(pattern.search(text_of(one) or "")) for one in inputs) * 2 > len(references):
            return unit
    is_nothing_asked = all(RECORDING.fullmatch((text_of(one) or "").strip()) for one in inputs)
    # without the names of recordings, the outputs must be such texts, too
    texts = references if any(inputs) else [*references, *outputs]
    are_heard = _are_bare(references, outputs) or (is_nothing_asked and _are_words_alone(texts))
    if outputs and are_heard:
        return "word"
    return "character" if is_nothing_asked and _are_misread(references, outputs) else ""


def _are_misread(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs have nearly all letters of sentences, and words that differ do so in few letters: "Vcrfasser".

    Whoever writes or translates a text anew takes other words.
    """
    rows = [*zip(outputs, cycle(references), strict=False)][:LOOKED_AT]
    pairs = [
        (text_of(output) or "", text_of(known) or "") for output, known in rows if output not in (None, "")
    ]
    pairs = [(said[:LONGEST], known[:LONGEST]) for said, known in pairs if len(known.split()) >= SENTENCE]
    differ = [
        (one, other)
        for said, known in pairs
        if len(words := said.split()) == len(right := known.split())
        for one, other in zip(words, right, strict=True)
        if _letters(one) != _letters(other)
    ]
    errors = [Levenshtein.normalized_distance(said, known) for said, known in pairs]
    near = sum(
        Levenshtein.distance(one, other) <= MISREAD * len(other) + 1
        for one, other in differ
        if not any(map(str.isdecimal, other))  # another number is another answer
    )
    are_many = len(pairs) >= FEWEST and len(differ) >= FEWEST
    return are_many and median(errors) <= MISREAD and near >= MOSTLY * len(differ)


def _letters(word: str) -> str:
    """A word without letter case and punctuation around it, in which no letter is misread."""
    return word.casefold().strip("".join(SIGNS))


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
    """Whether texts are sentences without signs that begin in one letter case, as recognisers of speech write them."""
    present = [text for one in texts if (text := text_of(one))]
    lengths = [len(text.split()) for text in present]
    is_one_case = all(text[:1].islower() for text in present) or all(map(str.isupper, present))
    return bool(present) and is_one_case and median(lengths) >= SENTENCE and not SIGNS & {*"".join(present)}
