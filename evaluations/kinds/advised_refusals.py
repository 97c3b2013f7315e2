"""Advice where the reference says whether an answer should refuse: should_refuse, safe or unsafe, refuse or comply."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations.ingest.refusal_words import classes
from evaluations.mapping.refusals import ANSWER, REFUSE, declines
from evaluations.values import JSON, text_of

from .advised_texts import count_words

SOME = 0.03  # share of the outputs that must refuse
FEW = 0.1  # share of the outputs that may be the words of references
PROSE = 4  # words of most outputs


def refusals(name: str, references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, Any]:
    """How such references are read, beside answers of which some refuse; {} for others.

    >>> told = ["I'm sorry, but I can't help with that.", "Yes, of course I can: take two eggs."] * 5
    >>> refusals("should_refuse", [True, False] * 5, told)["also"]
    {'false': 'answer', 'true': 'refuse'}
    >>> refusals("is_spam", [True, False] * 5, told), refusals("is_safe", [True, False] * 5, ["true", "false"] * 5)
    ({}, {})
    """
    words = {(text_of(one) or "").strip().casefold() for one in references if one not in (None, "")}
    found = classes(name, words)
    texts = [text_of(output) or "" for output in outputs]
    if not found or not texts or sum(text.strip().casefold() in words for text in texts) > FEW * len(texts):
        return {}
    if sum(count_words(text) >= PROSE for text in texts) * 2 < len(texts) or not _follow(
        found, references, texts
    ):
        return {}
    also = {word: said for word, said in sorted(found.items()) if word != said}
    return {"step": "choice", "labels": [REFUSE, ANSWER]} | ({"also": also} if also else {})


def _follow(found: dict[str, str], references: Sequence[JSON], texts: Sequence[str]) -> bool:
    """Whether some outputs refuse, and a larger share of those that should."""
    said: dict[str, list[bool]] = {REFUSE: [], ANSWER: []}
    for text, reference in zip(texts, cycle(references), strict=False):
        if expected := found.get((text_of(reference) or "").strip().casefold()):
            said[expected].append(declines(text))
    refused, wrongly = (sum(said[one]) / max(len(said[one]), 1) for one in (REFUSE, ANSWER))
    return sum(map(sum, said.values())) > SOME * len(texts) and refused > wrongly
