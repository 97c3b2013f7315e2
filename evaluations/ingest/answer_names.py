"""Names of columns that hold right answers to the same question: reference_1 and reference_2, gold and gold_alt."""

from evaluations.linear import Pattern

# what tells the columns of right answers apart: a number or letter, or a word for others
_ENDS = Pattern(r"[_ .-]*(?:\p{Nd}{1,2}|[_ .-][a-d])$")
_WORDS = Pattern(r"[^\p{L}\p{N}]+")
OTHERS = {
    *("accepted", "acceptable", "alias", "aliases", "alt", "alternate", "alternates", "alternative"),
    *("alternatives", "synonym", "synonyms"),
    *("alternativas", "alternativen", "alternativi", "alternativo"),
}


def stem(name: str) -> tuple[str, ...]:
    """The words of a name without what tells it from the names of other right answers; () for "aliases".

    >>> stem("Reference 2"), stem("gold_alt"), stem("gold_answers"), stem("aliases")
    (('reference',), ('gold',), ('gold', 'answer'), ())
    """
    words = _WORDS.split(_ENDS.sub("", name.strip().casefold()))
    return tuple(word.removesuffix("s") for word in words if word and word not in OTHERS)


def is_for_others(name: str) -> bool:
    """Whether a name says that the column has other right answers: "gold_alt", "accepted answers"."""
    return not OTHERS.isdisjoint(_WORDS.split(name.strip().casefold()))


def is_one_of_several(name: str) -> bool:
    """Whether a name ends in a number or letter: "reference_2", "answer b"."""
    return bool(_ENDS.search(name.strip().casefold()))
