"""Scores of compared examples, a hundred per page (docs/pages.md).

They are tags instead of partials, because an include takes several times as long as such a small part.
"""

from collections.abc import Mapping
from typing import Protocol

from django import template
from django.utils.formats import localize
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.results.rows import Score

from .evalsite import icon, number
from .verdicts import change, sign

# the words for 0 and 1, by that for a score of 1
WORDS: dict[str, dict[float, str]] = {
    "right": {0.0: "wrong", 1.0: "right"},
    "passing": {0.0: "fails", 1.0: "passes"},
}

register = template.Library()


class ScoreCell(Protocol):
    """A variant's score; `change` from the baseline's if there is a verdict (web/comparisons/example_rows.py)."""

    @property
    def score(self) -> Score | None: ...
    @property
    def decimals(self) -> int: ...
    @property
    def verdict(self) -> str: ...
    @property
    def change(self) -> float | None: ...
    @property
    def share(self) -> str: ...


class StripScore(Protocol):
    """A variant's score among those of all variants (web/comparisons/pair.py)."""

    @property
    def link(self) -> SafeString: ...
    @property
    def value(self) -> float | None: ...
    @property
    def decimals(self) -> int: ...
    @property
    def plot(self) -> SafeString: ...
    @property
    def is_shown(self) -> bool: ...


@register.simple_tag
def strip_score(score: StripScore) -> SafeString:
    """A variant's name, its dot and its score, or a dash, as an item of a list."""
    current = ' aria-current="true"' if score.is_shown else ""
    value = '<span class="aside">–</span>'
    if score.value is not None:
        value = f'<data value="{localize(score.value)}">{number(score.value, score.decimals)}</data>'
    return SafeString(f"<li{current}>{score.link} {score.plot} {value}</li>")


@register.simple_tag
def score(cell: ScoreCell) -> SafeString:
    """A score, or a dash with its reason, and the change from the baseline; of 0 and 1 in words."""
    value = _value(cell.score, cell.decimals, WORDS.get(cell.share, {}))
    if not cell.verdict:
        return value
    if cell.share and cell.change in (-1, 0, 1):
        return SafeString(f"{value} {sign(cell.verdict)}") if cell.change else value
    return SafeString(f"{value} {change(cell.change, cell.verdict, cell.decimals)}")


def _value(score: Score | None, decimals: int, words: Mapping[float, str]) -> SafeString:
    if score is not None and score.value is not None:
        if word := words.get(score.value):
            symbol = icon("check" if score.value else "cross")
            return SafeString(f'<data value="{localize(score.value)}">{symbol} {word}</data>')
        shown = numerals.fixed(score.value, decimals)
        return SafeString(f'<data value="{localize(score.value)}">{shown}</data>')
    title = format_html(' title="{}"', score.message) if score and score.message else ""
    status = score.status.replace("_", " ") if score else "not scored"
    return format_html('<span class="aside"{}>–<span class="unseen"> {}</span></span>', title, status)
