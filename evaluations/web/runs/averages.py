"""The tiles above the rows of a run: the mean of each evaluator, its histogram, and counts that lead to rows."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons.people import standing
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import people
from evaluations.labelling import seal
from evaluations.models import EvaluatorVersion, Scoring
from evaluations.numerals import fixed, honest
from evaluations.results.filters import ScoreFilter
from evaluations.scoring import in_mean, summaries
from evaluations.scoring.summaries import Figures
from evaluations.statistics.intervals import Interval

from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from ..page_tools.url_values import Segment
from . import filters as run_filters
from . import histogram_links
from . import rows as run_rows
from .histogram_links import Axis
from .mixed_up import mixed_up
from .selection import CONDITIONS, RunSelection, as_parameters, told


@dataclass(frozen=True)
class Average:
    """What runs are compared by, with its interval; a histogram and counts whose parts are filters."""

    scoring: Scoring
    name: str
    address: str
    summary: Figures
    lower_is_better: bool
    has_statistics: bool
    is_whole: bool
    headline: str | None
    value: float | None
    interval: Interval | None
    decimals: int
    is_share: bool
    spread: list[tuple[str, str]]
    histogram: SafeString
    outcomes: list[Segment]  # pass, fail and neither, where scores are 0 and 1 or between the two
    states: list[Segment]
    n: int  # scores that count: not those of examples without a reference
    judged: int
    pass_rate: float | None
    sealed: Segment | None
    is_chosen: bool
    errors: int
    errors_address: str
    is_people: bool
    source: str  # "people" or "judge", if the name does not say so
    standing: str  # what is known of a judge
    mixed_up: str  # of an evaluator of labels

    @property
    def standing_begins(self) -> str:
        """For a narrow card: "judge only"."""
        return self.standing.partition(",")[0]


def averages(request: HttpRequest, selection: RunSelection, figures: Mapping[int, Figures]) -> list[Average]:
    """One for each evaluator; `figures` are by scoring."""
    versions = [scoring.evaluator_version for scoring in selection.scorings]
    known, axes = _standings(versions), histogram_links.axes(selection.run, versions)
    hidden = seal.hidden(selection.scorings)
    return [
        _Averaging(
            request,
            scoring,
            selection,
            known[scoring.evaluator_version_id],
            len(hidden.get(scoring.pk, ())),
            axes.get(scoring.evaluator_version_id),
        ).average(figures[scoring.pk])
        for scoring in selection.scorings
    ]


def _standings(versions: Collection[EvaluatorVersion]) -> dict[int, str]:
    """By version of an evaluator, what is known of a judge, or that labels are weighed; empty of all others."""
    known = standing.of(versions)
    told = {v.pk: standing.is_judge(v) or known.get(v.pk) == "weighted" for v in versions}
    return {v.pk: standing.in_words(known.get(v.pk), v) if told[v.pk] else "" for v in versions}


@dataclass(frozen=True)
class _Averaging:
    """Builds an `Average`, whose links replace the filters of the page."""

    request: HttpRequest
    scoring: Scoring
    selection: RunSelection
    standing: str
    sealed: int
    axis: Axis | None  # of its histogram

    def address(self, **query: Any) -> str:
        """The address of the rows by this evaluator, under the filters of the page."""
        version = self.selection.version if self.scoring is self.selection.scoring else None
        chosen = {"evaluator": self.scoring.evaluator_version.evaluator_id, "version": version}
        return address(self.request, **(RESET | {"order": None} | chosen | query))

    def alone(self, word: str) -> str:
        """The address of the rows in one state, without other filters, so that they match the linked number."""
        parameters = as_parameters(ScoreFilter(self.scoring, **CONDITIONS[word]))
        return self.address(**(run_filters.no_conditions(self.request) | parameters))

    def average(self, summary: Figures) -> Average:
        recipe = Recipe.from_version(self.scoring.evaluator_version)
        counts = summary["counts"]
        counted, led = in_mean.with_references(summary, recipe), in_mean.shown(summary, recipe)
        value, interval = summaries.compared(led, recipe)
        outcomes = self._outcomes(recipe, summary) if counted["n_judged"] else []
        return Average(
            scoring=self.scoring,
            name=self.scoring.evaluator_version.evaluator.name,
            address=self.address(),
            summary=summary,
            lower_is_better=recipe.direction == "minimize",
            has_statistics=recipe.has_statistics,
            is_whole=summary["n"] == counts["scored"] == counts["total"],
            headline=None if recipe.headline is None else recipe.statistic(recipe.headline).title,
            value=value,
            interval=interval,
            decimals=3 - sum(abs(value or 0) >= size for size in (10, 100)),
            is_share=recipe.is_per_cent,
            spread=[] if outcomes or not counted["n"] else _spread(summary, recipe),
            histogram=_proportion(outcomes, led["n"])
            if outcomes
            else self._histogram(recipe, summary, counted["n"]),
            outcomes=outcomes,
            states=self._states(counts),
            n=counted["n"],
            judged=counted["n_judged"],
            pass_rate=counted["pass_rate"],
            sealed=Segment("sealed", self.sealed, self.alone("sealed")) if self.sealed else None,
            is_chosen=self.scoring is self.selection.scoring,
            errors=counts["error"],
            errors_address=self.alone("errors"),
            is_people=self.scoring.evaluator_version.kind == people.key,
            source=run_rows.source_of(self.scoring.evaluator_version),
            standing=self.standing,
            mixed_up=mixed_up(self.scoring, recipe, counts["total"]),
        )

    def _states(self, counts: dict[str, int]) -> list[Segment]:
        missing = counts["missing_expected"] + counts["missing_actual"]
        states = {"scored": counts["scored"], "not found": counts["not_found"], "missing": missing}
        states |= {"unmapped": counts["unmapped"], "not sent": counts["not_sent"]}
        states |= {"no verdict": counts.get("no_verdict", 0)}
        return [
            Segment(told(word, counts), n, self.alone(word))
            for word, n in states.items()
            if n or word == "scored"
        ]

    def _outcomes(self, recipe: Recipe, summary: Figures) -> list[Segment]:
        if not recipe.is_share:
            return []
        numbers = in_mean.verdicts(summary, recipe).items()
        return [Segment(word, n, self.alone(word)) for word, n in numbers if n or word != "neither"]

    def _histogram(self, recipe: Recipe, summary: Figures, n: int) -> SafeString:
        if not summary.get("histogram") or not n:
            return SafeString("")
        all_bins = self.address(**as_parameters(ScoreFilter(self.scoring)))
        return histogram_links.drawn(self.scoring, recipe, summary, all_bins, self.axis)


def _proportion(outcomes: Sequence[Segment], n: int) -> SafeString:
    """A line of all `n` scores of the mean; those that are no outcome count as wrong."""
    passed, failed = outcomes[:2]
    as_wrong = max(0, n - sum(outcome.count for outcome in outcomes))
    return charts.proportion(passed.count, failed.count, (passed.address, failed.address), as_wrong)


def _spread(summary: Figures, recipe: Recipe) -> list[tuple[str, str]]:
    """The median, the end of the worst tenth, the lowest and the highest score, each with its name."""
    worst = ("p90", summary.get("p90")) if recipe.direction == "minimize" else ("p10", summary.get("p10"))
    ends = ("min", summary.get("min")), ("max", summary.get("max"))

    def told(value: float) -> str:
        """Whole scores have a decimal only between two of them."""
        return fixed(value, int(value % 1 > 0) if recipe.kind.unit else honest(abs(value), 2))

    every = ("median", summary.get("median")), worst, *ends
    return [(word, told(value)) for word, value in every if value is not None]
