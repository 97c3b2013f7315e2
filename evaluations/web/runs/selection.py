"""The rows of a run that an address selects, and their order: stacked filters in the syntax of the API."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from evaluations.datasets.bitmaps import Mask
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Run, Scoring
from evaluations.results import answered, filter_params
from evaluations.results.filter_params import Pairs
from evaluations.results.filters import Filters, ScoreFilter
from evaluations.results.results import Query
from evaluations.results.shown import all_scorings_of, newest_of, primary_first
from evaluations.scoring import coverage
from evaluations.values import TOLD, Status

from ..page_tools import searches, url_values
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

NAMES = tuple(name for name in filter_params.CONDITIONS if name != "metadata")
ORDERS = ("worst", "best", "file")
CONDITIONS: dict[str, dict[str, Any]] = {
    "all": {},
    # an example without an answer that some kinds give a 0 is missing, and not one that fails as well
    "fail": {"passed": False, "statuses": (Status.SCORED,)},
    "pass": {"passed": True, "statuses": (Status.SCORED,)},
    "neither": {"passed": "neither", "statuses": (Status.SCORED,)},
    "scored": {"statuses": (Status.SCORED,)},
    "missing": {"statuses": (Status.MISSING_EXPECTED, Status.MISSING_ACTUAL)},
    "not found": {"statuses": (Status.NOT_FOUND,)},
    "not sent": {"statuses": (Status.NOT_SENT,)},
    "no verdict": {"statuses": (Status.NO_VERDICT,)},
    "unmapped": {"statuses": (Status.UNMAPPED,)},
    "errors": {"statuses": (Status.ERROR,)},
    "sealed": {"statuses": (Status.SEALED,)},
}


def told(condition: str, counts: Mapping[str, int]) -> str:
    """A condition in the words of the experiment's page; `counts` are by status."""
    statuses = CONDITIONS[condition].get("statuses", ())
    seen = [status for status in statuses if counts.get(status.word)] or statuses[-1:]
    return seen[0].told if len(seen) == 1 and seen[0] in TOLD else condition


@dataclass(frozen=True)
class RunSelection:
    """`scoring` orders the rows and gives the counts of segments; `versions` are those that scored the run."""

    run: Run
    scorings: Sequence[Scoring]
    scoring: Scoring | None
    recipe: Recipe | None
    versions: Sequence[int]
    order: str
    filters: Filters

    @classmethod
    def from_request(cls, request: HttpRequest, run: Run, *, strict: bool = False) -> "RunSelection":
        """The rows that an address selects; with `strict`, for a file, a filter that cannot hold is refused."""
        every = all_scorings_of(run)
        newest = primary_first(run, newest_of(every))
        by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in newest}
        known = url_values.by_evaluator(by_evaluator)
        looked_at = url_values.named(request, "evaluator", known) or next(iter(newest), None)
        versions = _versions(every, looked_at)
        scoring = _version(request, looked_at, versions) or looked_at
        scorings = [
            scoring if scoring and newest_scoring is looked_at else newest_scoring
            for newest_scoring in newest
        ]
        filters = _filters(request, scorings, scoring, strict=strict)
        return cls(
            run,
            scorings,
            scoring,
            Recipe.from_version(scoring.evaluator_version) if scoring else None,
            sorted(versions),
            url_values.choice(request, "order", ORDERS, "worst"),
            filters if strict else _within_page(request, run, filters),
        )

    @property
    def evaluator_id(self) -> int | None:
        return self.scoring.evaluator_version.evaluator_id if self.scoring else None

    def positions(self) -> list[int]:
        """The positions of all selected rows, in the order of the file."""
        every = coverage.positions(self.run)
        chosen = replace(self.filters, searched=None).mask(self.run, every)
        if (asked := coverage.slots(self.run)) is not None:
            chosen = chosen & asked
        selected: list[int] = every.every[chosen].tolist()
        return selected

    @property
    def version(self) -> int | None:
        """The chosen version, if it is not the newest that scored the run."""
        chosen = self.scoring.evaluator_version.number if self.scoring else None
        return chosen if chosen and chosen != max(self.versions) else None

    @property
    def score_filter(self) -> ScoreFilter | None:
        """The condition on the chosen evaluator."""
        return next(
            (score_filter for score_filter in self.filters.scores if score_filter.scoring is self.scoring),
            None,
        )

    @property
    def show(self) -> str:
        """The segment that equals these filters; "" if none does."""
        current = (self.score_filter.passed, self.score_filter.statuses) if self.score_filter else (None, ())
        words = {
            (condition.get("passed"), condition.get("statuses", ())): word
            for word, condition in CONDITIONS.items()
        }
        return words.get(current, "")

    def segment(self, word: str) -> dict[str, Any]:
        """Parameters that lead to a segment, under all other conditions."""
        if self.scoring is None:
            return {}
        score_filter = self.score_filter or ScoreFilter(self.scoring)
        return as_parameters(replace(score_filter, **{"passed": None, "statuses": ()} | CONDITIONS[word]))

    def without_verdict(self) -> Filters:
        """The conditions that hold in every segment."""
        scores = (
            replace(score_filter, passed=None, statuses=())
            if score_filter is self.score_filter
            else score_filter
            for score_filter in self.filters.scores
        )
        bare = ScoreFilter(self.scoring) if self.scoring else None
        return replace(
            self.filters, scores=tuple(score_filter for score_filter in scores if score_filter != bare)
        )

    @property
    def descending(self) -> bool:
        return self.recipe is not None and (self.recipe.direction == "minimize") == (self.order == "worst")

    @cached_property
    def candidates(self) -> Mask:
        """The mask of slots under the conditions that hold in every segment."""
        return self.without_verdict().mask(self.run, coverage.positions(self.run))

    @property
    def order_words(self) -> str:
        """The order in words for screen readers; "" for the order of the file."""
        if self.scoring is None or self.order == "file":
            return ""
        end = "highest" if self.descending else "lowest"
        return f"{end} {self.scoring.evaluator_version.evaluator.name} first"

    def query(self) -> Query:
        by_score = self.scoring is not None and self.order != "file"
        return Query(
            self.scoring,
            by_score=by_score,
            descending=by_score and self.descending,
            statuses=self.score_filter.statuses if self.score_filter else (),
            passed=self.score_filter.passed if self.score_filter else None,
            more=self.without_verdict(),
            masked=lambda: self.candidates,
        )

    def api_address(self) -> str:
        """The address of the same rows in the API."""
        sort = f"{'-' if self.descending else ''}{self.evaluator_id}" if self.query().by_score else None
        version = {"evaluator": self.evaluator_id, "version": self.version} if self.version else {}
        parameters = {"sort": sort, "search": self.filters.search or None} | version
        pairs = [(name, value) for name, value in parameters.items() if value is not None]
        query = urlencode([*pairs, *filter_params.pairs_of(self.filters)])
        return f"/api/v1/runs/{self.run.pk}/results/{'?' if query else ''}{query}"


def _versions(every: Sequence[Scoring], looked_at: Scoring | None) -> dict[int, Scoring]:
    """The scorings by all versions of the chosen evaluator."""
    evaluator = looked_at.evaluator_version.evaluator_id if looked_at else None
    return {
        score_filter.evaluator_version.number: score_filter
        for score_filter in every
        if score_filter.evaluator_version.evaluator_id == evaluator
    }


def _version(
    request: HttpRequest, looked_at: Scoring | None, versions: Mapping[int, Scoring]
) -> Scoring | None:
    """The scoring by the version in the address, which belongs to the evaluator `version_of`, if a form sends it."""
    named_evaluator_id = number(request, "version_of")
    is_other = (
        named_evaluator_id and looked_at and named_evaluator_id != looked_at.evaluator_version.evaluator_id
    )
    return (
        None
        if is_other
        else url_values.named(
            request, "version", {str(number): scoring for number, scoring in versions.items()}
        )
    )


def _filters(
    request: HttpRequest, scorings: Sequence[Scoring], scoring: Scoring | None, *, strict: bool
) -> Filters:
    filled = [pair for pair in url_values.parameters(request) if pair[1]]
    pairs = [*filled, *_of_older_links(request, scoring)]
    answers = url_values.choice(request, "answers", answered.CHOICES, "")
    found = filter_params.parse(pairs, scorings, strict=strict)
    return replace(found, search=searches.text(request), answers=answers)


def _within_page(request: HttpRequest, run: Run, filters: Filters) -> Filters:
    """The filters with the stretch of the run that the page searches."""
    if not filters.search:
        return filters
    return replace(filters, searched=searches.stretch(request, len(coverage.positions(run))))


def _of_older_links(request: HttpRequest, scoring: Scoring | None) -> Pairs:
    """Filters with their former names, which apply to the chosen evaluator."""
    if scoring is None:
        return ()
    low, below = url_values.decimal(request, "min"), url_values.decimal(request, "below")
    high = None if below is None else math.nextafter(below, -math.inf)
    shown = CONDITIONS[url_values.choice(request, "show", CONDITIONS, "all")]
    return filter_params.pairs_of(Filters(scores=(ScoreFilter(scoring, low=low, high=high, **shown),)))


def as_parameters(score_filter: ScoreFilter) -> dict[str, Any]:
    """Parameters that replace all conditions on the evaluator by this one."""
    evaluator = score_filter.scoring.evaluator_version.evaluator_id
    pairs = filter_params.pairs_of(Filters(scores=(score_filter,)))
    names = [f"{name}[{evaluator}]" for name in NAMES]
    return {name: [value for pair_name, value in pairs if pair_name == name] or None for name in names}
