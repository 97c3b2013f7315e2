"""Columns that differ in the rater alone: rater1 and rater2, "quality (annotator A)" and "quality (annotator B)"."""

from collections.abc import Iterable
from itertools import pairwise

from evaluations.linear import Pattern

from .role_words import GRADES
from .suggest import plain

RATERS = GRADES | {"assessor", "coder", "evaluator", "grader", "judge", "labeler", "labeller"}
_WORD = Pattern(r"\p{N}+|\p{L}+")


def joined(names: Iterable[str]) -> dict[str, str]:
    """For each name of a score that is one of several raters, the name of what they all rate.

    >>> joined(["rater1", "rater2", "fluency human_a", "fluency human_b", "rouge1", "rouge2", "rater3 tone"])
    {'rater1': 'rater', 'rater2': 'rater', 'fluency human_a': 'fluency human', 'fluency human_b': 'fluency human'}
    """
    by_rating: dict[str, list[str]] = {}
    for name in names:
        if rating := _without_rater(name):
            by_rating.setdefault(rating, []).append(name)
    return {name: rating for rating, raters in by_rating.items() for name in raters if len(raters) > 1}


def _without_rater(name: str) -> str:
    """The name without the number or the letter behind the word for a rater; "" if it has none."""
    words = [found[0] for found in _WORD.finditer(plain(name))]
    places = (
        place
        for place, (before, word) in enumerate(pairwise(words), 1)
        if before in RATERS and (word.isdecimal() or (len(word) == 1 and word.isascii()))
    )
    place = next(places, 0)
    return " ".join(words[:place] + words[place + 1 :]) if place else ""
