"""Quantities in answers, in one way of writing: 4 kg, 4,000 g and 4 kilograms are the same."""

from collections.abc import Iterator
from decimal import Context
from typing import NamedTuple

from evaluations.linear import Pattern
from evaluations.metrics import number_reader

from .units import Unit, unit_behind

LONGEST_UNIT = 60  # characters behind a number in which its unit stands
EXACT = Context(prec=50)
DIGITS = Context(prec=9)  # that count, because factors such as those of miles and of °F have many
TEX = (
    (Pattern(r"\$([^$\n]*)\$"), r"\1"),
    (Pattern(r"\\(?:text|mathrm|mathbf|textbf|mbox|rm|operatorname)\s*\{([^{}]*)\}"), r"\1"),
    (Pattern(r"\^\{?\\circ\}?|\\degree"), "°"),
    (Pattern(r"\\[,;:! ]|~"), " "),
    (Pattern(r"\^\{?2\}?"), "²"),
    (Pattern(r"\^\{?3\}?"), "³"),
    (Pattern(r"\\Omega"), "Ω"),
    (Pattern(r"\\mu\s*"), "µ"),
)
BETWEEN = Pattern(r"^[*_]{0,3}\s*(?:,|and|und|et|y)?\s*[*_]{0,3}$")


class Quantity(NamedTuple):
    number: number_reader.Number
    unit: Unit
    end: int


def found(text: str) -> list[str]:
    r"""The quantities of a text in their base units; 1 h 30 min is one.

    >>> found("At 22.5MW for 1 h 30 min"), found(r"$4{,}000\,\mathrm{g}$ or **4** kilograms"), found("20 °C is 68°F")
    (['22500000 W', '5400 s'], ['4000 g', '4000 g'], ['293.15 K', '293.15 K'])
    """
    return [_written(group) for group in _groups(_plain(text))]


def is_quantity(text: str) -> bool:
    """Whether a text is one quantity and nothing else.

    >>> [is_quantity(text) for text in ("4 kg", "1 h 30 min.", "about 4 kg", "$5", "4")]
    [True, True, False, False, False]
    """
    text = _plain(text).strip(" .*$")
    groups = list(_groups(text))
    return len(groups) == 1 and groups[0][0].number.start == 0 and groups[0][-1].end == len(text)


def _plain(text: str) -> str:
    text = number_reader.from_latex(text)
    if "\\" in text or "^" in text or "$" in text:
        for pattern, written in TEX:
            text = pattern.sub(written, text)
    return text


def _groups(text: str) -> Iterator[list[Quantity]]:
    """The quantities, each with those behind it that go on in smaller units."""
    group: list[Quantity] = []
    for one in _quantities(text):
        if group and not _goes_on(text, group[-1], one):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _quantities(text: str) -> Iterator[Quantity]:
    for number in number_reader.numbers(text):
        behind = unit_behind(text[number.end : number.end + LONGEST_UNIT])
        if behind:
            yield Quantity(number, behind[1], number.end + len(behind[0]))


def _goes_on(text: str, first: Quantity, second: Quantity) -> bool:
    is_smaller = first.unit.base == second.unit.base and first.unit.factor > second.unit.factor
    between = text[first.end : second.number.start]
    return is_smaller and not first.unit.offset and BETWEEN.search(between) is not None


def _written(group: list[Quantity]) -> str:
    total = sum(
        (EXACT.add(EXACT.multiply(one.number.value, one.unit.factor), one.unit.offset) for one in group),
        start=EXACT.create_decimal(0),
    )
    return f"{format(DIGITS.plus(total).normalize(), 'f')} {group[0].unit.base}"
