"""Which rows of a run an address selects, and in which order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from evaluations.evaluators.recipe import Recipe
from evaluations.models import Scoring
from evaluations.results.filters import LONGEST_SEARCH
from evaluations.results.results import Query
from evaluations.values import Status

from . import filters
from .paging import number

CONDITIONS: dict[str, dict[str, Any]] = {
    "all": {},
    "fail": {"passed": False},
    "pass": {"passed": True},
    "scored": {"statuses": (Status.SCORED,)},
    "missing": {"statuses": (Status.MISSING_EXPECTED, Status.MISSING_ACTUAL)},
    "unmapped": {"statuses": (Status.UNMAPPED,)},
    "errors": {"statuses": (Status.ERROR,)},
}
ORDERS = ("worst", "best", "file")


@dataclass(frozen=True)
class RunSelection:
    """Rows by one evaluator's score: `show` names a condition, `low` and `below` bound the score."""

    scoring: Scoring | None
    recipe: Recipe | None
    show: str
    order: str
    low: float | None
    below: float | None
    search: str

    @classmethod
    def from_request(cls, request: HttpRequest, scorings: Sequence[Scoring]) -> "RunSelection":
        by_evaluator = {scoring.evaluator_version.evaluator_id: scoring for scoring in scorings}
        scoring = by_evaluator.get(number(request, "evaluator")) or next(iter(scorings), None)
        return cls(
            scoring,
            Recipe.from_version(scoring.evaluator_version) if scoring else None,
            filters.choice(request, "show", CONDITIONS, "all"),
            filters.choice(request, "order", ORDERS, "worst"),
            filters.decimal(request, "min"),
            filters.decimal(request, "below"),
            request.GET.get("q", "").strip()[:LONGEST_SEARCH],
        )

    @property
    def evaluator_id(self) -> int | None:
        return self.scoring.evaluator_version.evaluator_id if self.scoring else None

    @property
    def descending(self) -> bool:
        if self.recipe is None:
            return False
        return (self.recipe.kind.direction == "minimize") == (self.order == "worst")

    @property
    def order_words(self) -> str:
        """The order for screen readers; empty for the order of the file."""
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
            low=self.low,
            high=None if self.below is None else math.nextafter(self.below, -math.inf),
            search=self.search,
            **CONDITIONS[self.show],
        )
