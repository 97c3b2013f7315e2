"""Which of several outputs a cell names as the better one: by its name, its letter, its number or its side."""

from collections.abc import Sequence
from typing import Any

from evaluations.linear import Pattern

_WORDS = Pattern(r"[\p{L}\p{N}]+")
AND = " = "  # between the names of several that are as good
FEW = 4  # words of a cell in which a letter is that of an output, and no article
_NUMBER = Pattern(r"[+-]?\d+(?:\.\d+)?")
# words that say that no output is better
TIES = {
    *("both", "draw", "equal", "equally", "even", "neither", "none", "same", "similar", "tie", "tied"),
    *("beide", "gleich", "gleichstand", "keine", "keiner", "unentschieden"),
    *("aucun", "aucune", "egalite", "égal", "égalité", "deux"),
    *("ambas", "ambos", "empate", "igual", "iguales", "ninguna", "ninguno"),
    *("引き分け", "同じ", "同等", "同程度", "どちらも", "平局", "一样", "相同", "무승부", "동점"),
    *("entrambe", "entrambi", "nessuna", "nessuno", "pari", "parità"),
}
SIDES = (
    {"left", "first", "links", "gauche", "izquierda", "sinistra", "左"},
    {"right", "second", "rechts", "droite", "derecha", "destra", "右"},
)


def is_side(cell: str) -> bool:
    """Whether a cell is nothing but a word for a side, or for neither.

    >>> is_side("Left"), is_side("tie"), is_side("left out")
    (True, True, False)
    """
    return any({*words(cell)} <= names and words(cell) for names in (*SIDES, TIES))


EQUAL = ("=", "==", "≈")
BASELINE = {"base", "baseline", "control", "current", "old", "production"}
CANDIDATE = {"candidate", "challenger", "new", "treatment"}


def words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORDS.finditer(text)]


def has_words(text: str) -> bool:
    return _WORDS.search(text) is not None


def named(cell: Any, variants: Sequence[str]) -> list[float] | None:
    """The weight of each variant, which add up to 1; None if the cell names none of them.

    >>> named("Response B is better", ["response_a", "response_b"]), named("2", ["x", "y"]), named("tie", ["x", "y"])
    ([0.0, 1.0], [0.0, 1.0], [0.5, 0.5])
    >>> named("GPT-4o", ["gpt-4o", "gpt-4o-mini"]), named(1.25, ["x", "y"]), named("longer", ["x", "y"])
    ([1.0, 0.0], [0.75, 0.25], None)
    >>> named("CANDIDATE", ["response", "baseline_response"])
    [1.0, 0.0]
    >>> named("y = z", ["x", "y", "z"])
    [0.0, 0.5, 0.5]
    """
    text = f"{cell}".strip()
    if isinstance(cell, bool) or not text:
        return None
    if AND in text and all(every := [named(one, variants) for one in text.split(AND)]):
        return [sum(weights) / len(every) for weights in zip(*every, strict=True)]
    if _NUMBER.fullmatch(text):
        return _of_number(float(text), len(variants))
    if text in EQUAL:
        return [1 / len(variants)] * len(variants)
    said = words(text)
    own = [place for place, name in enumerate(variants) if said in (words(name), _marks(variants)[place])]
    if not own and not TIES.isdisjoint(said):
        return [1 / len(variants)] * len(variants)
    places = own or _among(said, variants)
    return [float(place == places[0]) for place in range(len(variants))] if len(places) == 1 else None


def _of_number(number: float, count: int) -> list[float] | None:
    """The weights by a place from 1, or by a number between 1 and 2 for two variants."""
    if count == 2 and 1 <= number <= 2:
        return [2 - number, number - 1]
    if number in range(1, count + 1):
        return [float(place == number) for place in range(1, count + 1)]
    return None


def _among(said: Sequence[str], variants: Sequence[str]) -> list[int]:
    """The variants whose letter, number or side stands among a few words, as in "A wins" or "Response 2"."""
    if len(said) > FEW:
        return []
    ends = [
        next((word for word in mark if len(word) == 1 or len(mark) == 1), "") for mark in _marks(variants)
    ]
    sides = [side & {*said} for side in SIDES] if len(variants) == len(SIDES) else []
    bases = [place for place, name in enumerate(variants) if {*words(name)} & BASELINE]
    if len(bases) == 1 and len(variants) == 2 and {*said} & (BASELINE | CANDIDATE):
        return bases if {*said} & BASELINE else [1 - bases[0]]
    return [place for place, end in enumerate(ends) if end and end in said] or [
        place for place, side in enumerate(sides) if side
    ]


def _marks(variants: Sequence[str]) -> list[list[str]]:
    """The words of each name that the names do not share: "b" of answer_b beside answer_a."""
    every = [words(name) for name in variants]
    shared = set[str](every[0]).intersection(*every[1:]) if every else set()
    return [[word for word in one if word not in shared] for one in every]
