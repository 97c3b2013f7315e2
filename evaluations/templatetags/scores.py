"""Scores as HTML: cells in the table of a run, of which a page has hundreds, and pass or fail beside a score."""

from dataclasses import dataclass
from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluations import numerals
from evaluations.evaluators.recipe import Recipe
from evaluations.models import EvaluatorVersion, Scoring
from evaluations.numerals import NO_BREAK
from evaluations.scoring import in_mean
from evaluations.scoring.summaries import Figures
from evaluations.values import Status

from .evalsite import figure, icon

register = template.Library()

# the only words for a score of 0 or 1 where all scores are one of the two: with their icons, wherever it stands
WORDS = {0.0: "fail", 1.0: "pass"}
ICONS = {0.0: "cross", 1.0: "check"}
IN_WORDS = (Status.SEALED.word, Status.MISSING_EXPECTED.word)
SEEN_WHOLE = 12  # letters that the narrowest column holds; longer ones are labels of people, which are cut


@dataclass(frozen=True)
class ShownScore:
    """A score as shown and in full. Without a score `text` is "", `status` says why and `message` gives details.

    A number that passes has no icon: only one below its threshold is marked. Of words both are.
    """

    text: str = ""
    exact: str = ""
    passed: bool | None = None
    is_word: bool = False
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
    """ "pass" or "fail" with an icon; else why there is no value, and nothing beside a value without verdict."""
    if score is None or score.passed is None:
        told = "" if score and score.value is not None else lacking(score.status if score else "")
        return format_html('<span class="state">{}</span>', told)
    word, symbol = WORDS[score.passed], ICONS[score.passed]
    passed = str(score.passed).lower()
    return format_html('<span class="state" data-passed="{}">{}{}</span>', passed, icon(symbol), word)


@register.filter
def score_cell(shown: ShownScore) -> SafeString:
    """A score as a table cell; a narrow page shows only the chosen evaluator's."""
    css_class = "" if shown.is_chosen else " other"
    if not shown.text:
        return _without_score(shown, css_class)
    if shown.passed is None or (shown.passed and not shown.is_word):
        whole = format_html(' title="{}"', shown.text) if len(shown.text) > SEEN_WHOLE else ""
        cell = '<td class="number{}"{}><data value="{}">{}</data></td>'
        return format_html(cell, css_class, whole, shown.exact, shown.text)
    symbol = icon(ICONS[shown.passed], "" if shown.text in WORDS.values() else WORDS[shown.passed])
    cell = '<td class="number{}" data-passed="{}">{}<data value="{}">{}</data></td>'
    return format_html(cell, css_class, str(shown.passed).lower(), symbol, shown.exact, shown.text)


@register.filter
def score_below(shown: ShownScore) -> SafeString:
    """A score on a line below the output that it judges."""
    symbol = icon(ICONS[shown.passed]) if shown.passed is not None else ""
    passed = "" if shown.passed is None else str(shown.passed).lower()
    return format_html('<span class="state" data-passed="{}">{}{}</span>', passed, symbol, shown.text)


def _without_score(shown: ShownScore, css_class: str) -> SafeString:
    title = format_html(' title="{}"', shown.message) if shown.message else ""
    return format_html('<td class="number aside{}"{}>{}</td>', css_class, title, no_score(shown.status))


def no_score(status: str) -> SafeString:
    """A dash with its reason; the reason itself where all rows can have it, and nobody looks for a fault behind it."""
    if status in IN_WORDS:
        return format_html("<small>{}</small>", lacking(status))
    return format_html('–<span class="unseen"> {}</span>', lacking(status))


@register.filter
def sentence(message: str) -> str:
    """A message without the code that programs read: “unreadable: The answer has no verdict.” is the sentence alone."""
    code, _, rest = message.partition(": ")
    return rest if rest and code.replace("_", "").isalpha() and code.islower() else message


@register.filter
def lacking(status: str) -> str:
    """Why an answer has no score, in words."""
    return Status[status.upper()].told if status else Status.NOT_SENT.told


@register.filter
def what_counts(figures: Figures | None, version: EvaluatorVersion) -> SafeString | str:
    """What a mean leaves out or counts as worst, such as "2 unanswered as wrong; 66.7 % answered only"."""
    told = in_mean.words(figures, Recipe.from_version(version)) if figures else ""
    return format_html('<small class="aside">{}</small>', told) if told else ""


@register.filter
def as_compared(figures: Figures | None, version: EvaluatorVersion) -> Figures | None:
    """The figures of a run as comparisons count them; `what_counts` says beside them what else there is."""
    return figures and in_mean.shown(figures, Recipe.from_version(version))


@register.filter
def compared_mean(scoring: Scoring) -> str:
    """The mean of a run by an evaluator as comparisons count it, in its unit."""
    figures = as_compared(scoring.summary, scoring.evaluator_version)
    return by(figures and figures["mean"], scoring.evaluator_version)


@register.filter
def compared_count(scoring: Scoring) -> str:
    """Of how many scores that mean is."""
    figures = as_compared(scoring.summary, scoring.evaluator_version)
    return numerals.grouped(figures and figures["n"])


@register.filter
def n_of(n: str, size: int) -> str:
    """How many of the examples of a dataset have a score.

    >>> n_of("30", 60), n_of("1", 1)
    ('n\xa0=\xa030\xa0of\xa060', 'n\xa0=\xa01')
    """
    whole = numerals.grouped(size)
    return f"n{NO_BREAK}={NO_BREAK}{n}" + (f"{NO_BREAK}of{NO_BREAK}{whole}" if n != whole else "")


@register.filter
def by(value: float | None, version: EvaluatorVersion) -> str:
    """A mean of scores by a version of an evaluator: a percentage where scores are shares."""
    return numerals.percent(value) if Recipe.from_version(version).is_per_cent else figure(value)
