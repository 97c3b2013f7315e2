"""Scores as HTML: cells in the table of a run, of which a page has hundreds, and pass or fail beside a score."""

from dataclasses import dataclass
from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.evaluators.recipe import Recipe
from evaluations.models import EvaluatorVersion
from evaluations.scoring import in_mean
from evaluations.scoring.summaries import Figures

from .evalsite import figure, icon, words

register = template.Library()


@dataclass(frozen=True)
class ShownScore:
    """A score as shown and in full. Without a score `text` is "", `status` says why and `message` gives details."""

    text: str = ""
    exact: str = ""
    has_failed: bool = False
    is_chosen: bool = False
    status: str = ""
    message: str = ""


class Score(Protocol):
    @property
    def value(self) -> float | None: ...

    @property
    def passed(self) -> bool | None: ...

    @property
    def status(self) -> str: ...


@register.filter
def outcome(score: Score | None) -> SafeString:
    """ "pass" or "fail" with an icon; else "no threshold", or why there is no value."""
    if score is None or score.passed is None:
        return format_html('<span class="state">{}</span>', _without_outcome(score))
    word, symbol = ("pass", "check") if score.passed else ("fail", "cross")
    passed = str(score.passed).lower()
    return format_html('<span class="state" data-passed="{}">{}{}</span>', passed, icon(symbol), word)


def _without_outcome(score: Score | None) -> str:
    if score is None:
        return "not scored"
    return "no threshold" if score.value is not None else words(score.status)


@register.filter
def score_cell(shown: ShownScore) -> SafeString:
    """A score as a table cell; a narrow page shows only the chosen evaluator's."""
    css_class = "" if shown.is_chosen else " other"
    if not shown.text:
        return _without_score(shown, css_class)
    if shown.has_failed:
        cell = '<td class="number{}" data-passed="false">{}<data value="{}">{}</data></td>'
        return format_html(cell, css_class, icon("cross", "fail"), shown.exact, shown.text)
    return format_html(
        '<td class="number{}"><data value="{}">{}</data></td>', css_class, shown.exact, shown.text
    )


def _without_score(shown: ShownScore, css_class: str) -> SafeString:
    title = format_html(' title="{}"', shown.message) if shown.message else ""
    cell = '<td class="number aside{}"{}>–<span class="unseen"> {}</span></td>'
    return format_html(cell, css_class, title, lacking(shown.status))


@register.filter
def lacking(status: str) -> str:
    """Why an answer has no score, in words."""
    return words(status) or "not scored"


@register.filter
def what_counts(figures: Figures | None, version: EvaluatorVersion) -> SafeString | str:
    """What a mean leaves out or counts as worst, such as "answered only"."""
    told = in_mean.words(figures, Recipe.from_version(version)) if figures else ""
    return format_html('<small class="aside">{}</small>', told) if told else ""


@register.filter
def by(value: float | None, version: EvaluatorVersion) -> str:
    """A mean of scores by a version of an evaluator: a percentage where scores are shares."""
    return numerals.percent(value) if Recipe.from_version(version).is_per_cent else figure(value)
