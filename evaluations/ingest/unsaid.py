"""What people write into a column of numbers where they have none: "NC", "n/a", "–"."""

from collections.abc import Sequence

from evaluations.values import JSON

from .likely import has_numbers, number_of

SIGNS = " .-–—_?#/"
WORDS = {
    *(
        "",
        "n/a",
        "na",
        "nan",
        "nd",
        "none",
        "null",
        "nil",
        "not rated",
        "not scored",
        "unrated",
        "tbd",
        "missing",
    ),
    *(
        "k.a",
        "k. a",
        "ka",
        "keine angabe",
        "entfällt",
        "nb",
        "nc",
        "ne",
        "np",
        "no presentado",
        "s/o",
        "s.o",
        "sin nota",
    ),
    *("sin nota", "non noté", "non applicable", "absent", "なし", "未評価", "未评", "无"),
}
MOST = 0.4  # share of the cells of a column


def is_unsaid(text: str) -> bool:
    """Whether a text says that there is nothing.

    >>> is_unsaid("NC"), is_unsaid("N/A"), is_unsaid("–"), is_unsaid("0"), is_unsaid("none of them")
    (True, True, True, False, False)
    """
    return text.casefold().strip(SIGNS) in WORDS


def without(cells: Sequence[str]) -> list[str]:
    """The cells, in a column of numbers without what says that there is none.

    >>> without(["4", "NC", "2,5"]), without(["NC", "-"]), without(["4", "NC", "Rome"])
    (['4', '', '2,5'], ['NC', '-'], ['4', 'NC', 'Rome'])
    """
    said = [text for text in cells if text and not is_unsaid(text)]
    present = sum(map(bool, cells))
    if len(said) == present or len(said) < (1 - MOST) * present or not has_numbers(said):
        return [*cells]
    return ["" if is_unsaid(text) else text for text in cells]


def without_minus_one(cells: Sequence[JSON]) -> list[JSON]:
    """The cells, None for -1 where all other numbers are 1 or more: no rating could be read, as MT-Bench writes it.

    >>> without_minus_one([7, "-1", 9.5, None]), without_minus_one([-1, 0, 1]), without_minus_one([-1])
    ([7, None, 9.5, None], [-1, 0, 1], [-1])
    """
    numbers = [number_of(cell) for cell in cells]
    others = [number for number in numbers if number is not None and number != -1]
    if -1 not in numbers or not others or min(others) < 1:
        return [*cells]
    return [None if number == -1 else cell for number, cell in zip(numbers, cells, strict=True)]
