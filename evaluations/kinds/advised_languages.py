"""Whether references say in another language what the inputs say."""

from collections.abc import Iterable, Sequence
from statistics import median

from evaluations.metrics.whole_words import WITHOUT_BLANKS
from evaluations.values import JSON, text_of

from . import languages

ENOUGH = 20  # rows from which words that never occur say something
SHARED = 0.25  # share of a reference's words that inputs of the same language have, among all rows
OWN = 0.2  # by which outputs share more words with the references than the inputs do
ALIKE = 3.0  # times as long as the other, at most
LONGEST = 2_000  # characters that are read of a text
SIGNS = ".,;:!?()[]{}<>*_#\"'`“”„‘’«»…–—-。，、！？「」（）"


def are_translations(references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> bool:
    """Whether references hardly use words of the inputs, in texts of like length, and outputs speak as references do.

    Texts of one language have most words in common, as those for "the" and "is"; two languages have names. As few
    short questions have few words at all, their small words or scripts must be those of two languages, too.
    """
    if len(references) < ENOUGH or len(inputs) != len(references):
        return False
    asked, known, said = ([_words(text) for text in texts] for texts in (inputs, references, outputs))
    lengths = [median(map(len, texts)) for texts in (asked, known)]
    if min(lengths) * ALIKE < max(lengths):
        return False
    shared = _share(known, asked)
    if shared >= SHARED or (outputs and _share(said, known) < shared + OWN):
        return False
    return languages.differ(*(list(map(_text, texts)) for texts in (inputs, references)))


def _share(texts: Iterable[Sequence[str]], others: Iterable[Sequence[str]]) -> float:
    """The share of the words of some texts that occur anywhere in others."""
    known = {word for text in others for word in text}
    flags = [word in known for text in texts for word in text]
    return sum(flags) / len(flags) if flags else 0.0


def _text(value: JSON) -> str:
    if isinstance(value, dict):  # such as {"lang": "en", "text": …}
        value = " ".join(text for text in value.values() if isinstance(text, str))
    return (text_of(value) or "")[:LONGEST]


def _words(value: JSON) -> list[str]:
    """The words of a text in lower case; where no blanks divide them, pairs of signs."""
    text = _text(value).casefold()
    words = [word for part in text.split() if (word := part.strip(SIGNS)) and not word.isdecimal()]
    if not WITHOUT_BLANKS.search(text):
        return words
    return [word[start : start + 2] for word in words for start in range(0, len(word), 2)]
