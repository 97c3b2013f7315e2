"""The statistics of a run by one evaluator: figures of labels, the label table as a picture, the rows of a field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluations import charts
from evaluations.charts import Axis, Range
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, Run, Scoring
from evaluations.numerals import fixed, grouped, percent
from evaluations.results import filter_params, results
from evaluations.results.filters import Cell, Filters, ScoreFilter
from evaluations.results.results import Query
from evaluations.results.rows import Row
from evaluations.results.shown import scorings_of
from evaluations.scoring import coverage, run_counts, run_statistics
from evaluations.scoring.run_statistics import LabelFigures, LabelTable, RunStatistics, Shown

from ..page_tools import searches, url_values, visible
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.paging import RESET, address
from ..page_tools.request import HttpRequest
from ..page_tools.texts import line
from ..page_tools.url_values import Segment
from . import filters as run_filters
from .mixed_up import MOST_EQUAL
from .rows import brief
from .selection import as_parameters

SIZE = 25
MOST_LABELS = 12  # more are folded in the list, and their table scrolls
MOST_FREQUENT, WEAKEST, MOST_MIXED = 10, 5, 10
SHARES = (0.0, 0.03, 0.06)  # of the row, from which a field of wrong answers is darker


@require_safe
def run_statistics_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Statistics by `?evaluator=3`; `reference[3]=spam&read[3]=ham` shows the rows of one field of the table."""
    run = object_or_404(request, visible.runs(), pk)
    scorings = [
        scoring
        for scoring in scorings_of(run)
        if Recipe.from_version(scoring.evaluator_version).has_statistics
    ]
    scoring = _chosen(scorings, request)
    page = _page(request, run, scoring) if scoring else {}
    without = None if page else _first_with_a_mean(run)
    if page:
        page["api_call"] = curl(request, f"/api/v1/runs/{pk}/statistics/?evaluator={page['evaluator'].pk}")
    shown = {
        "run": run,
        "experiment": run.experiment,
        "scorings": scorings,
        "without": without,
    }
    context = {**frame(request, run.project, "experiments"), **shown, **page}
    return render(request, "runs/run_statistics.html", context)


def _first_with_a_mean(run: Run) -> Evaluator | None:
    """The first evaluator of a run without these statistics, of which thresholds are known instead."""
    scored = (one for one in scorings_of(run) if one.summary and one.summary["n"])
    return next((one.evaluator_version.evaluator for one in scored), None)


def _chosen(scorings: Sequence[Scoring], request: HttpRequest) -> Scoring | None:
    by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in scorings}
    return url_values.named(request, "evaluator", url_values.by_evaluator(by_evaluator)) or next(
        iter(scorings), None
    )


@dataclass(frozen=True)
class Strip:
    """A statistic in the strip above the tables."""

    title: str
    figure: str
    interval: str
    sub: str
    is_headline: bool


@dataclass(frozen=True)
class LabelRow:
    figures: LabelFigures
    address: str
    plot: SafeString


@dataclass(frozen=True)
class Field:
    """A field of the label table; `tone` is its colour, `words` say what it counts."""

    count: int
    address: str
    words: str
    tone: str
    is_current: bool


@dataclass(frozen=True)
class TableRow:
    label: str
    fields: list[Field]
    references: int


@dataclass(frozen=True)
class ReadRow:
    """An example of the chosen field, with what was read from its output."""

    row: Row
    address: str
    input: str
    expected: str
    output: str
    read: str
    passed: bool | None


def _page(request: HttpRequest, run: Run, scoring: Scoring) -> Context:
    evaluator = scoring.evaluator_version.evaluator
    try:
        figures = run_statistics.of_scoring(scoring)
    except run_counts.NoCounts as reason:
        return {"evaluator": evaluator, "missing": str(reason)}
    strip = {
        "evaluator": evaluator,
        "figures": figures,
        "strip": [_strip(one, figures) for one in _first(figures)],
    }
    if figures.table is None or not figures.examples:
        return strip
    links = _Links(request, scoring, _filter(request, scoring))
    return {**strip, **_label_part(links, figures), **_rows(request, run, links)}


def _first(figures: RunStatistics) -> list[Shown]:
    """The headline first."""
    return sorted(figures.statistics, key=lambda shown: not shown.is_headline)


def _strip(shown: Shown, figures: RunStatistics) -> Strip:
    if shown.name == "accuracy":
        right = round(shown.value * figures.examples)
        low, high = shown.interval or (0.0, 0.0)
        sub = f"{grouped(right)} of {grouped(figures.examples)} right"
        interval = f"{fixed(100 * low, 1)} to {fixed(100 * high, 1)}"
        return Strip(shown.title, percent(shown.value), interval, sub, shown.is_headline)
    interval = f"{fixed(shown.interval[0], 3)} to {fixed(shown.interval[1], 3)}" if shown.interval else ""
    return Strip(shown.title, fixed(shown.value, 3), interval, shown.summary, shown.is_headline)


# ---- labels --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Links:
    """The addresses of parts of the table on this page; `chosen` is the present one."""

    request: HttpRequest
    scoring: Scoring
    chosen: ScoreFilter

    def to(self, **conditions: Any) -> str:
        parameters = as_parameters(ScoreFilter(self.scoring, **conditions)) | {
            "rows": None if conditions else "all"
        }
        evaluator = self.scoring.evaluator_version.evaluator_id
        return address(self.request, evaluator=evaluator, **parameters, **RESET) + "#examples"

    def field(self, cell: Cell, count: int, tone: str) -> Field:
        words = f"{grouped(count)} {run_filters.cell_words(cell)}"
        return Field(count, self.to(cell=cell), words, tone, self.chosen.cell == cell)


def _label_part(links: _Links, figures: RunStatistics) -> Context:
    assert figures.table is not None
    ends = [end for label in figures.labels for end in label.interval or (label.f1,)]
    axis = Axis.around(ends)
    shown, folded = _listed(figures.labels)
    table = _table(links, figures.table)
    wrong = [field for row in table for field in row.fields[:-1] if field.tone != "right" and field.count]
    answered = [sum(column) for column in zip(*figures.table.counts, strict=True)]
    is_large = len(table) > MOST_LABELS
    return {
        "labels": [_label_row(links, label, axis) for label in shown],
        "folded": [_label_row(links, label, axis) for label in folded],
        "axis": charts.axis_labels(axis, axis.ticks[:: 1 if len(axis.ticks) < 4 else 2], written=fixed),
        "table": table,
        "columns": figures.table.labels,
        "answered": answered,
        "has_outside": answered[-1] > 0,
        "is_large": is_large,
        "weakest": min((label for label in figures.labels if label.support), key=_recall, default=None),
        "mixed": sorted(wrong, key=lambda field: -field.count)[:MOST_MIXED]
        if is_large
        else _most_often(wrong),
        "outside": answered[-1],
    }


def _most_often(wrong: Sequence[Field]) -> list[Field]:
    """The most frequent mix-up, or the first of those that are equally frequent."""
    most = max((field.count for field in wrong), default=0)
    return [field for field in wrong if field.count == most][:MOST_EQUAL]


def _recall(label: LabelFigures) -> float:
    return label.recall


def _listed(labels: Sequence[LabelFigures]) -> tuple[list[LabelFigures], list[LabelFigures]]:
    """The labels that are listed and those that are folded: of many, the most frequent and the weakest are listed."""
    if len(labels) <= MOST_LABELS:
        return list(labels), []
    frequent = sorted(labels, key=lambda label: -label.support)[:MOST_FREQUENT]
    others = [label for label in labels if label not in frequent]
    weakest = sorted(others, key=_recall)[:WEAKEST]
    listed = [label for label in labels if label in frequent or label in weakest]
    return listed, [label for label in labels if label not in listed]


def _label_row(links: _Links, label: LabelFigures, axis: Axis) -> LabelRow:
    low, high = label.interval or (None, None)
    plot = charts.range_plot(axis, Range(low, label.f1, high), height=34, grid=True, zero=False)
    return LabelRow(label, links.to(cell=Cell(label.label)), plot)


def _table(links: _Links, table: LabelTable) -> list[TableRow]:
    rows = []
    for own, (label, counts) in enumerate(zip(table.labels, table.counts, strict=True)):
        references = sum(counts)
        cells = [*(Cell(label, other) for other in table.labels), Cell(label, is_outside=True)]
        fields = [
            links.field(cell, count, "right" if column == own else _tone(count, references))
            for column, (cell, count) in enumerate(zip(cells, counts, strict=True))
        ]
        rows.append(TableRow(label, fields, references))
    return rows


def _tone(count: int, references: int) -> str:
    """Darker for a larger share of the references of the label."""
    return f"w{sum(count > share * references for share in SHARES)}"


# ---- rows ----------------------------------------------------------------------------------------------------


def _filter(request: HttpRequest, scoring: Scoring) -> ScoreFilter:
    """The rows that the address asks for; by default those that are wrong, where some are."""
    filled = [pair for pair in url_values.parameters(request) if pair[1]]
    parsed = filter_params.parse(filled, [scoring], strict=False).scores
    if parsed:
        return parsed[0]
    wrong, every = ScoreFilter(scoring, passed=False), ScoreFilter(scoring)
    is_asked = request.GET.get("rows") == "all"
    return every if is_asked or not wrong.mask(coverage.positions(scoring.run)).any() else wrong


def _rows(request: HttpRequest, run: Run, links: _Links) -> Context:
    chosen, scoring = links.chosen, links.scoring
    search = searches.text(request)
    searched = searches.stretch(request, len(coverage.positions(run))) if search else None
    query = Query(scoring, more=Filters(scores=(chosen,), search=search, searched=searched))
    cursors = {name: url_values.cursor(request, name) for name in ("after", "before")}
    page = results.page(run, query, SIZE, scorings=[scoring], **cursors)
    previous, following = url_values.neighbour_pages(request, page.before, page.after)
    read = run_statistics.read_answers(scoring, page.positions)
    name = scoring.evaluator_version.evaluator.name
    return {
        "segments": _segments(links),
        "chip": (f"{run_filters.cell_words(chosen.cell)}: {grouped(page.total)}", links.to())
        if chosen.cell not in (Cell(), Cell(is_outside=True))
        else None,
        "rows": [_read_row(run, row, name, read.get(row.position)) for row in page.rows],
        "total": page.total,
        "first": page.first,
        "last": page.first + len(page.rows) - 1,
        "previous": previous,
        "next": following,
        "search": search,
        "searched": searches.told(request, searched),
        "hidden": url_values.parameters(request, without={"q", "from", "after", "before"}),
    }


def _segments(links: _Links) -> list[Segment]:
    positions, chosen = coverage.positions(links.scoring.run), links.chosen
    parts: dict[str, dict[str, Any]] = {
        "all": {},
        "wrong": {"passed": False},
        "right": {"passed": True},
        "none of these": {"cell": Cell(is_outside=True)},
    }
    segments = []
    for word, conditions in parts.items():
        part = ScoreFilter(links.scoring, **conditions)
        count = int(part.mask(positions).sum())
        segments.append(Segment(word, count, links.to(**conditions), part == chosen))
    return [segment for segment in segments if segment.count or segment.word == "all"]


def _read_row(run: Run, row: Row, evaluator: str, read: str | None) -> ReadRow:
    score = row.scores.get(evaluator)
    return ReadRow(
        row,
        f"{reverse('run-detail', args=[run.pk])}?row={row.position}",
        brief("inputs", row.inputs),
        brief("reference", row.reference),
        brief("output", row.output),
        "no answer" if read is None else line(read)[:200] or "empty",
        score.passed if score else None,
    )


urlpatterns = [path("runs/<int:pk>/statistics/", run_statistics_page, name="run-statistics")]
