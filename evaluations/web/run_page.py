"""What the page of a run shows: its averages, the rows that were asked for, and one of them in full."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from evaluations import charts, kinds
from evaluations.datasets.datasets import by_column
from evaluations.evaluators.recipe import Recipe
from evaluations.metrics.diff import Change, diff
from evaluations.models import Run, Scoring
from evaluations.results import results
from evaluations.results.filters import LONGEST_SEARCH
from evaluations.results.results import WORDS, Order, Query, Row
from evaluations.scoring import summaries
from evaluations.statistics.ordering import Cursor
from evaluations.values import JSON, Status

from . import filters
from .paging import address, number
from .texts import as_text

SIZE = 50
SHOWS: dict[str, dict[str, Any]] = {
    "all": {},
    "fail": {"passed": False},
    "pass": {"passed": True},
    "scored": {"statuses": (Status.SCORED,)},
    "missing": {"statuses": (Status.MISSING_EXPECTED, Status.MISSING_ACTUAL)},
    "unmapped": {"statuses": (Status.UNMAPPED,)},
    "errors": {"statuses": (Status.ERROR,)},
}
ORDERS = ("worst", "best", "file")
RESET = {"after": None, "before": None}
Summary = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """What an address asks of a run's rows: an evaluator to look at, which rows by it, in which order."""

    scoring: Scoring | None
    recipe: Recipe | None
    show: str
    order: str
    low: float | None
    below: float | None
    search: str

    @classmethod
    def of(cls, request: HttpRequest, scorings: Sequence[Scoring]) -> "Asked":
        wanted = number(request, "evaluator")
        by_evaluator = {scoring.evaluator_version.evaluator_id: scoring for scoring in scorings}
        scoring = by_evaluator.get(wanted) or next(iter(scorings), None)
        return cls(
            scoring,
            Recipe.from_version(scoring.evaluator_version) if scoring else None,
            filters.choice(request, "show", SHOWS, "all"),
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
        return self.recipe is not None and (self.recipe.kind.direction == "minimize") == (
            self.order == "worst"
        )

    def query(self) -> Query:
        by_score = self.scoring is not None and self.order != "file"
        below = None if self.below is None else math.nextafter(self.below, -math.inf)
        return Query(
            self.scoring,
            by_score=by_score,
            descending=by_score and self.descending,
            low=self.low,
            high=below,
            search=self.search,
            **SHOWS[self.show],
        )


# ---- averages ----------------------------------------------------------------------------------------------


def averages(
    request: HttpRequest, scorings: Sequence[Scoring], figures: dict[int, Summary]
) -> list[dict[str, Any]]:
    """One for each evaluator: the mean with its interval, the histogram whose bins filter, and the counts."""
    return [_average(request, scoring, figures[scoring.pk]) for scoring in scorings]


def _average(request: HttpRequest, scoring: Scoring, summary: Summary) -> dict[str, Any]:
    recipe = Recipe.from_version(scoring.evaluator_version)
    evaluator = scoring.evaluator_version.evaluator

    def chosen(**more: Any) -> str:
        nothing = {"min": None, "below": None, "show": None, "order": None} | RESET
        return address(request, **(nothing | {"evaluator": evaluator.pk} | more))

    counts = summary["counts"]
    missing = counts["missing_expected"] + counts["missing_actual"]
    states = {"scored": counts["scored"], "missing": missing, "unmapped": counts["unmapped"]}
    return {
        "scoring": scoring,
        "name": evaluator.name,
        "address": chosen(),
        "summary": summary,
        "lower_is_better": recipe.kind.direction == "minimize",
        "is_whole": summary["n"] == counts["scored"] == counts["total"],
        "interval": summaries.interval(summary, recipe.bounds),
        "decimals": 3 - sum(abs(summary["mean"] or 0) >= size for size in (10, 100)),
        "histogram": _histogram(recipe, summary, chosen),
        "states": [(n, word, chosen(show=word)) for word, n in states.items() if n or word == "scored"],
        "errors": counts["error"],
        "errors_address": chosen(show="errors"),
    }


def _histogram(recipe: Recipe, summary: Summary, chosen: Callable[..., str]) -> str:
    if not summary.get("histogram") or not summary["n"]:
        return ""
    edges = summary["histogram"]["edges"]

    def bin_address(low: float, high: float) -> str:
        """The end bins hold what lies outside, too."""
        ends = {"min": None if low == edges[0] else low, "below": None if high == edges[-1] else high}
        return chosen(**ends)

    return charts.histogram(summary, recipe.threshold, recipe.kind.direction, bin_address)


def segments(
    request: HttpRequest, asked: Asked, figures: dict[int, Summary], total: int
) -> list[tuple[str, int, str, bool]]:
    """The choice of rows with their counts: word, count, address, whether it is chosen."""
    counts = {"all": total}
    if asked.scoring:
        told = figures[asked.scoring.pk]
        each = told["counts"]
        counts["all"] = each["total"]
        if told["n_judged"]:
            counts |= {"fail": told["n_judged"] - told["n_passed"], "pass": told["n_passed"]}
        counts["missing"] = each["missing_expected"] + each["missing_actual"]
        counts |= {"unmapped": each["unmapped"]} if each["unmapped"] or asked.show == "unmapped" else {}
        counts["errors"] = each["error"]
    if asked.show == "scored" and asked.scoring:
        counts["scored"] = figures[asked.scoring.pk]["counts"]["scored"]
    return [
        (word, n, address(request, show=None if word == "all" else word, **RESET), word == asked.show)
        for word, n in counts.items()
    ]


# ---- rows --------------------------------------------------------------------------------------------------


def rows(request: HttpRequest, run: Run, scorings: Sequence[Scoring], asked: Asked) -> dict[str, Any]:
    """One page of the rows that were asked for, and the open one."""
    order = Order.from_query(run, asked.query())
    opened = number(request, "row")
    after, before = filters.cursor(request, "after"), filters.cursor(request, "before")
    slots = order.page(SIZE, after=after, before=before)
    if opened and opened - 1 not in slots and (start := _start(order, opened)):
        slots = order.page(SIZE, after=start[0])
    page = results.page_at(run, order, slots, scorings)
    return {
        "rows": [_shown(request, row, scorings) for row in page.rows],
        "columns": [_column(request, scoring.evaluator_version.evaluator, asked) for scoring in scorings],
        "has_latency": any(row.latency_ms is not None for row in page.rows),
        "total": page.total,
        "first": page.first,
        "last": page.first + len(page.rows) - 1,
        "previous": page.before and address(request, before=filters.as_text(page.before), after=None),
        "next": page.after and address(request, after=filters.as_text(page.after), before=None),
        "opened": opened and _opened(request, run, scorings, asked, order, opened, page.rows),
    }


def _start(order: Order, position: int) -> tuple[Cursor | None] | None:
    """Where a page begins that shows this row first; nothing for a row that was not asked for."""
    slot = position - 1
    if not 0 <= slot < len(order.chosen) or not order.chosen[slot]:
        return None
    ahead = order.page(1, before=order.cursor(slot))
    return (order.cursor(ahead[0]) if len(ahead) else None,)


def _shown(request: HttpRequest, row: Row, scorings: Sequence[Scoring]) -> dict[str, Any]:
    scores = [row.scores.get(scoring.evaluator_version.evaluator.name) for scoring in scorings]
    return {
        "row": row,
        "name": row.key or f"{row.position}",
        "address": address(request, row=row.position),
        "input": brief("inputs", row.inputs),
        "expected": brief("reference", row.reference),
        "output": brief("output", row.output),
        "scores": list(zip(scores, map(decimals, scorings), strict=True)),
    }


def decimals(scoring: Scoring) -> int:
    """Of one example's score: none for what is counted in units, as edits."""
    return 0 if kinds.get(scoring.evaluator_version.kind).unit else 2


def _column(request: HttpRequest, evaluator: Any, asked: Asked) -> dict[str, Any]:
    is_chosen = evaluator.pk == asked.evaluator_id and asked.order != "file"
    turned = "best" if is_chosen and asked.order == "worst" else None
    return {
        "name": evaluator.name,
        "short": " ".join(word if len(word) <= 10 else f"{word[:7]}." for word in evaluator.name.split()),
        "address": address(request, evaluator=evaluator.pk, order=turned, **RESET),
        "sort": ("descending" if asked.descending else "ascending") if is_chosen else "",
    }


def brief(part: str, value: JSON, most: int = 200) -> str:
    """A part of an example on one line: its text, or each column with its name."""
    if value is None:
        return ""
    columns = by_column(part, value) if part != "output" else {part: value}
    if len(columns) == 1:
        return as_text(next(iter(columns.values())))[:most]
    return " · ".join(f"{name}: {as_text(cell)[:most]}" for name, cell in columns.items())[:most]


# ---- one row -----------------------------------------------------------------------------------------------


def _opened(
    request: HttpRequest,
    run: Run,
    scorings: Sequence[Scoring],
    asked: Asked,
    order: Order,
    position: int,
    known: Sequence[Row],
) -> dict[str, Any]:
    close = address(request)
    found = [row for row in known if row.position == position]
    row = next(iter(found or results.rows_at(run, [position], scorings)), None)
    if row is None:
        return {"position": position, "close": close}
    slot = position - 1
    is_among = slot < len(order.chosen) and bool(order.chosen[slot])
    ahead, behind = order.neighbours(slot) if is_among else (None, None)
    return {
        "position": position,
        "name": row.key or f"{position}",
        "row": row,
        "close": close,
        "link": request.build_absolute_uri(address(request, row=position)),
        "rank": order.rank(slot) if is_among else None,
        "previous": address(request, row=ahead + 1) if ahead is not None else None,
        "next": address(request, row=behind + 1) if behind is not None else None,
        "inputs": list(by_column("inputs", row.inputs).items()),
        "expected": list(by_column("reference", row.reference).items()),
        "metadata": list(by_column("metadata", row.metadata).items()),
        "difference": _difference(row),
        "scores": _explained(run, row, scorings, asked),
    }


def _difference(row: Row) -> list[Change] | None:
    """From the expected text to the output, where there is one of each."""
    expected = list(by_column("reference", row.reference).values())
    if len(expected) != 1 or expected[0] is None or row.output is None:
        return None
    return diff(as_text(expected[0]), as_text(row.output))


def _explained(run: Run, row: Row, scorings: Sequence[Scoring], asked: Asked) -> list[dict[str, Any]]:
    """Each score with its reasons, that of the chosen evaluator first."""
    details = results.explanations(run, row.position, scorings)
    first = sorted(scorings, key=lambda scoring: scoring is not asked.scoring)
    return [
        {
            "name": scoring.evaluator_version.evaluator.name,
            "score": row.scores.get(scoring.evaluator_version.evaluator.name),
            "decimals": decimals(scoring),
            "detail": details[scoring.pk],
        }
        for scoring in first
    ]


def page_of(request: HttpRequest, run: Run) -> dict[str, Any]:
    """Averages and rows together, from one look at the scorings."""
    scorings = results.scorings_of(run)
    figures = summaries.load_many(scorings)
    asked = Asked.of(request, scorings)
    shown = rows(request, run, scorings, asked)
    return shown | {
        "asked": asked,
        "scorings": scorings,
        "averages": averages(request, scorings, figures),
        "segments": segments(request, asked, figures, shown["total"]),
        "errors": sum(figures[scoring.pk]["counts"]["error"] for scoring in scorings),
        "kept": filters.kept(request, only=("show", "order", "min", "below")),
        "unbinned": address(request, min=None, below=None, **RESET),
        "words": tuple(WORDS),
    }
