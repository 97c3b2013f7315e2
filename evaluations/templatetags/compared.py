"""Scores of compared examples, a hundred per page (docs/pages.md).

They are tags instead of partials, because an include takes several times as long as such a small part.
"""

from typing import Protocol

from django import template
from django.utils.formats import localize
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.results.rows import Row, Score

from .evalsite import icon, milliseconds, number
from .scores import ICONS, WORDS, no_score
from .verdicts import change, sign

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
    @property
    def told(self) -> str: ...


class StripScore(Protocol):
    """A variant's score among those of all variants (web/comparisons/pair.py)."""

    @property
    def link(self) -> SafeString: ...
    @property
    def value(self) -> float | None: ...
    @property
    def decimals(self) -> int: ...
    @property
    def share(self) -> str: ...
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
        value = _data(score.value, number(score.value, score.decimals), score.share)
    return SafeString(f"<li{current}>{score.link} {score.plot} {value}</li>")


@register.simple_tag
def score(cell: ScoreCell) -> SafeString:
    """A score, or a dash with its reason, and the change from the baseline; of 0 and 1 in words."""
    value = _value(cell)
    if not cell.verdict:
        return value
    if cell.share and cell.change in (-1, 0, 1):
        return SafeString(f"{value} {sign(cell.verdict)}") if cell.change else value
    return SafeString(f"{value} {change(cell.change, cell.verdict, cell.decimals)}")


def _value(cell: ScoreCell) -> SafeString:
    score = cell.score
    if score is not None and score.value is not None:
        return _data(score.value, cell.told or number(score.value, cell.decimals), cell.share)
    title = format_html(' title="{}"', score.message) if score and score.message else ""
    return format_html('<span class="aside"{}>{}</span>', title, no_score(score.status if score else ""))


def _data(value: float, shown: str, share: str) -> SafeString:
    """A score as the number shown, or in a word where all scores are 0 or 1."""
    if share and value in WORDS:
        shown = f"{icon(ICONS[value])} {WORDS[value]}"
    return SafeString(f'<data value="{localize(value)}">{shown}</data>')


@register.filter
def took(row: Row) -> str:
    """What an answer took, as far as it is known: "1.3 s, 23 tokens"."""
    told = [] if row.latency_ms is None else [milliseconds(row.latency_ms)]
    return ", ".join(told if row.tokens is None else [*told, numerals.plural(row.tokens, "token")])
