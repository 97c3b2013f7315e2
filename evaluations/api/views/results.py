"""Rows of a run with their scores, thresholds, and exports of runs and datasets."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons import thresholds
from evaluations.datasets import splits
from evaluations.errors import Invalid
from evaluations.evaluators.evaluators import by_id_or_name
from evaluations.imports import refused_rows
from evaluations.imports.rows.refusals import AT_MOST_REFUSED
from evaluations.keyset import Slice
from evaluations.models import Dataset, Run, Scoring
from evaluations.numerals import grouped
from evaluations.results import exports, filter_params, large_files, results
from evaluations.results.filenames import attachment
from evaluations.results.results import WORDS, Query
from evaluations.results.rows import Row, explanations, rows_at
from evaluations.results.searching import Stretch
from evaluations.results.shown import at_version, scorings_of
from evaluations.scoring import coverage
from evaluations.statistics.ordering import Cursor
from evaluations.values import LARGEST_POSITION

from ..pagination import SearchedPages, by_stretch
from ..refusals import NotFound
from ..routes import route
from ..serializers.page import NoQuery
from ..serializers.result import (
    DatasetExportQuery,
    ExplainedSerializer,
    ExportQuery,
    RefusedQuery,
    ResultSerializer,
    ResultsQuery,
    RunExportQuery,
    ThresholdsQuery,
    ThresholdsSerializer,
)
from .base import View, find, visible
from .datasets import split_of
from .runs import RunView

REFUSED: dict[tuple[int, str], Any] = {
    (200, "text/csv"): OpenApiTypes.BINARY,
    (200, "application/x-ndjson"): OpenApiTypes.BINARY,
}
FILES = REFUSED | {
    (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
    (200, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"): OpenApiTypes.BINARY,
    (200, "application/json"): {"type": "array", "items": {"type": "object"}},
}


@route("runs/<id:pk>/results/", "result-list")
class Results(RunView):
    """The examples of a run with their scores."""

    has_pages = True
    pagination_class = SearchedPages
    serializer_class = ResultSerializer
    query = ResultsQuery

    def get(self, request: Request, pk: int) -> Response:
        run = self.run()
        scorings = chosen_scorings(run, self.params)
        query = chosen(scorings, self.params)

        def fetch(searched: Stretch | None, size: int, after: Cursor | None, before: Cursor | None) -> Slice:
            within = replace(query, more=replace(query.more, searched=searched))
            return results.uncounted_page(run, within, size, after=after, before=before, scorings=scorings)

        pages = by_stretch(len(coverage.positions(run)) if query.more.search else 0, fetch)
        return self.get_paginated_response(as_json(self.paginate_queryset(pages)))


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    names = ("position", "key", "output", "output_error", "reasoning")
    return [
        {name: getattr(row, name) for name in names} | {"partial_output": row.partial, "scores": scores(row)}
        for row in rows
    ]


def scores(row: Row) -> dict[str, Any]:
    return {name: asdict(score) for name, score in row.scores.items()}


def chosen_scorings(run: Run, params: dict[str, Any]) -> list[Scoring]:
    """The newest scoring of every evaluator; for the evaluator in the query, the scoring by its `version`."""
    scorings = scorings_of(run)
    if "version" not in params:
        return scorings
    newest = _named(scorings, params["evaluator"], "evaluator") if "evaluator" in params else _first(scorings)
    return at_version(run, scorings, newest, params["version"])


def chosen(scorings: Sequence[Scoring], params: dict[str, Any]) -> Query:
    """The query of these parameters. Filters apply to `evaluator`, else to that of `sort`, else to the first."""
    sort = params.get("sort", "position")
    order, falling = _sorted_by(scorings, sort)
    looked_at = _named(scorings, params["evaluator"], "evaluator") if "evaluator" in params else order
    filters: dict[str, Any] = {
        "statuses": tuple(WORDS[word] for word in sorted(params.get("status", ()))),
        "passed": filter_params.VERDICTS.get(params.get("passed", "")),
        "low": params.get("min"),
        "high": params.get("max"),
    }
    if looked_at is None and any(value not in ((), None) for value in filters.values()):
        looked_at = _first(scorings)
    return Query(
        scoring=looked_at,
        by_score=order is not None,
        sorted_by=order,
        descending=falling,
        more=replace(filter_params.parse(params["filters"], scorings), search=params.get("search", "")),
        **filters,
    )


def _sorted_by(scorings: Sequence[Scoring], sort: str) -> tuple[Scoring | None, bool]:
    if sort == "position":
        return None, False
    if any(name(scoring) == sort for scoring in scorings):
        return _named(scorings, sort, "sort"), False
    return _named(scorings, sort.removeprefix("-"), "sort"), sort.startswith("-")


def name(scoring: Scoring) -> str:
    return scoring.evaluator_version.evaluator.name


def _named(scorings: Sequence[Scoring], id_or_name: str, field: str) -> Scoring:
    by_evaluator = {scoring.evaluator_version.evaluator: scoring for scoring in scorings}
    evaluator = by_id_or_name(by_evaluator, id_or_name)
    if evaluator is None:
        names = ", ".join(map(name, scorings)) or "none"
        message = f"The run has no scores by “{id_or_name[:200]}”; it has: {names}."
        raise Invalid("unknown_evaluator", message, fields={field: [message]})
    return by_evaluator[evaluator]


def _first(scorings: Sequence[Scoring]) -> Scoring:
    if not scorings:
        raise Invalid("unknown_evaluator", "The run has no scores to filter by.")
    return scorings[0]


@route("runs/<id:pk>/results/<id:position>/", "result-detail")
class ResultDetail(RunView):
    """One example of a run, with the reasons for its scores."""

    serializer_class = ExplainedSerializer

    def get(self, request: Request, pk: int, position: int) -> Response:
        run = self.run()
        rows = rows_at(run, [position]) if position <= LARGEST_POSITION else []
        if not rows:
            raise NotFound()
        [row], scorings = rows, scorings_of(run)
        details = explanations(run, position, scorings) if scorings else {}
        detail = {name(scoring): details[scoring.pk] for scoring in scorings}
        parts = {part: getattr(row, part) for part in ("inputs", "reference", "metadata")}
        return Response(as_json([row])[0] | parts | {"detail": detail})


@route("runs/<id:pk>/thresholds/", "run-thresholds")
class RunThresholds(RunView):
    """Possible thresholds of an evaluator."""

    serializer_class = ThresholdsSerializer
    query = ThresholdsQuery

    def get(self, request: Request, pk: int) -> Response:
        """Pass rates of all variants at 101 thresholds, and the agreement of each threshold with labels. Nothing is
        scored."""
        exploration = thresholds.explore(self.run(), self.params["evaluator"], self.params["verdict"])
        return Response(self.get_serializer(thresholds.as_dict(exploration)).data)


class AnyAccept(BaseContentNegotiation):
    """Ignores the Accept header, because the query names the format of the file."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


class Export(View):
    content_negotiation_class = AnyAccept
    query: type[NoQuery] = ExportQuery

    @property
    def format_options(self) -> dict[str, Any]:
        return {name: self.params[name] for name in ("safe", "bom")}

    def file(self, stem: str, content: Iterator[bytes], rows: int = 0) -> StreamingHttpResponse:
        """A file as a download; raises `TooManyRequests` while too many other large files are written."""
        kind = self.params["format"]
        limited = large_files.limited(content, rows, self.person.pk if self.person else self.key)
        response = StreamingHttpResponse(limited, content_type=exports.check(kind))
        response["Content-Disposition"] = attachment(stem, kind)
        response["X-Content-Type-Options"] = "nosniff"
        return response


@route("datasets/<id:pk>/refused/", "dataset-refused")
class RefusedRows(Export):
    query = RefusedQuery

    @extend_schema(
        responses=REFUSED,
        description=f"The rows that the last import left out, up to {grouped(AT_MOST_REFUSED)}: "
        "the columns of the file, then line, code and error; in JSON Lines line, code, message and cells.",
    )
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        dataset = find(visible(Dataset, self.key), pk)
        content = refused_rows.as_file(
            refused_rows.of_last_import(dataset), self.params["format"], safe=self.params["safe"]
        )
        return self.file(f"{dataset.name} refused", content)


@route("runs/<id:pk>/export/", "run-export")
class RunExport(Export, RunView):
    query = RunExportQuery

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The run as a file, in the order of its examples: all rows, or those that match the filters."""
        run, kind = self.run(), self.params["format"]
        scorings = chosen_scorings(run, self.params)
        query = chosen(scorings, self.params)
        rows = results.chosen(run, query) if query.filters else None
        count = len(coverage.asked_positions([run])) if rows is None else int(rows.sum())
        exports.check(kind, count)
        stem = f"{run.experiment.name} {run.variant}"
        content = exports.of_run(run, kind, chosen=rows, shown=scorings, **self.format_options)
        return self.file(stem, content, count)


@route("datasets/<id:pk>/export/", "dataset-export")
class DatasetExport(Export):
    query = DatasetExportQuery

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """The newest version of a dataset, or one of its splits, as a file."""
        dataset = find(visible(Dataset, self.key), pk)
        split = split_of(dataset, self.params)
        count = len(splits.positions(split, dataset.version)) if split else dataset.example_count
        exports.check(self.params["format"], count)
        options = self.format_options | {"split": split, "parts": self.params["parts"]}
        content = exports.of_dataset(dataset, self.params["format"], **options)
        name = f"{dataset.name} {split.name}" if split else dataset.name
        return self.file(name, content, count)
