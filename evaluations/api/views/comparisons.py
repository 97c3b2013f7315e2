"""Comparisons of runs: verdicts, subsets, agreement, corpus scores, reports and tables."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations.comparisons import export
from evaluations.comparisons.alignment.sides import MOST_REPEATS, MOST_RUNS
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.errors import Invalid
from evaluations.models import ApiKey
from evaluations.reports import page
from evaluations.reports import report as reports
from evaluations.results import filter_params

from ..routes import route
from ..serializers.agreement import EvaluatorAgreementQuery, EvaluatorAgreementSerializer
from ..serializers.agreement import answer as agreement_answer
from ..serializers.comparison_query import ComparisonExportQuery, ComparisonQuery
from ..serializers.comparison_shape import ComparisonSerializer
from ..serializers.corpus import CorpusQuery, CorpusScoresSerializer
from ..serializers.corpus import answer as corpus_answer
from ..serializers.report import ReportQuery, ReportSerializer
from ..serializers.report import answer as report_answer
from ..serializers.subsets import SlicesQuery, SlicesSerializer
from ..serializers.subsets import answer as slices_answer
from .base import find_all
from .datasets import split_of
from .results import AnyAccept
from .runs import RunView, runs_of


@route("comparisons/", "comparison")
class Comparisons(RunView):
    """Compare runs with a baseline, example by example."""

    serializer_class: type[BaseSerializer[Any]] = ComparisonSerializer
    query = ComparisonQuery

    def get(self, request: Request) -> HttpResponse:
        """The difference of each run from the baseline and its verdict, by every evaluator."""
        return Response(self.get_serializer(self.comparison()).data)

    def comparison(self) -> Comparison:
        """The comparison that the parameters describe."""
        return comparison_of(self.key, self.params)


def comparison_of(key: ApiKey, params: dict[str, Any]) -> Comparison:
    """The comparison that checked parameters describe, of runs that the key sees."""
    run_ids = ids(params["runs"], "runs")
    _refuse_repeated(run_ids)
    averaged = "repeats" in params
    maximum = MOST_REPEATS if averaged else MOST_RUNS
    if len(set(run_ids)) > maximum:
        raise Invalid("too_many_runs", f"At most {maximum} runs can be compared.")
    baseline = ids(params["baseline"], "baseline")[:1] if "baseline" in params else run_ids[:1]
    compared = find_all(runs_of(key), [*baseline, *run_ids], "runs")
    return Comparison(
        compared,
        compared[0],
        cluster=params.get("cluster", ""),
        repeats=averaged,
        missing=params.get("missing", "worst"),
        example_filter=ExampleFilter(
            filter_params.parse(params["filters"], ()).metadata,
            split_of(compared[0].experiment.dataset, params),
        ),
        estimate=params.get("estimate", "helped"),
        is_chosen=True,
    )


@route("comparisons/slices/", "comparison-slices")
class ComparisonSlices(Comparisons):
    """Subsets of examples on which a run's difference from the baseline deviates."""

    serializer_class = SlicesSerializer
    query = SlicesQuery

    def get(self, request: Request) -> Response:
        """Metadata values and lengths on which the difference from the baseline deviates from the rest."""
        comparison = self.comparison()
        evaluator = comparison.evaluators.named(self.params["evaluator"])
        return Response(slices_answer(comparison, evaluator).data)


@route("comparisons/agreement/", "comparison-agreement")
class ComparisonAgreement(Comparisons):
    """Agreement between evaluators."""

    serializer_class = EvaluatorAgreementSerializer
    query = EvaluatorAgreementQuery

    def get(self, request: Request) -> Response:
        """Correlations of each pair of evaluators; for two named ones also intervals and disagreements."""
        comparison, second = self.comparison(), self.params["other"]
        first = comparison.evaluators.named(self.params["evaluator"])
        return Response(
            agreement_answer(comparison, first, comparison.evaluators.named(second) if second else None).data
        )


@route("comparisons/corpus/", "comparison-corpus")
class ComparisonCorpus(Comparisons):
    """Corpus scores: BLEU and chrF of all outputs together."""

    serializer_class = CorpusScoresSerializer
    query = CorpusQuery

    def get(self, request: Request) -> Response:
        """Corpus BLEU and chrF of each run with sacrebleu's signature, and whether they differ from the baseline's."""
        comparison, id_or_name = self.comparison(), self.params["evaluator"]
        evaluator = comparison.evaluators.named(id_or_name) if id_or_name else None
        return Response(corpus_answer(comparison, evaluator).data)


@route("comparisons/report/", "comparison-report")
class ComparisonReport(Comparisons):
    """A comparison as a report."""

    content_negotiation_class = AnyAccept
    query = ReportQuery

    @extend_schema(
        responses={(200, "text/html"): OpenApiTypes.BINARY, (200, "application/json"): ReportSerializer}
    )
    def get(self, request: Request) -> HttpResponse:
        """The report of a comparison as HTML or JSON: verdict, tables, regressions, provenance and more."""
        comparison = self.comparison()
        report = reports.report(comparison)
        if self.params["format"] == "json":
            return Response(report_answer(report).data)
        return HttpResponse(page.html(report), content_type=page.TYPE, headers=page.headers(comparison))


@route("comparisons/export/", "comparison-export")
class ComparisonExport(Comparisons):
    """A comparison as a table."""

    content_negotiation_class = AnyAccept
    query = ComparisonExportQuery

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.BINARY})
    def get(self, request: Request) -> HttpResponse:
        """One CSV row per run and evaluator, and one per run and measure, with its verdict."""
        comparison = self.comparison()
        content = export.as_csv(comparison, safe=self.params["safe"], bom=self.params["bom"])
        headers = {"Content-Disposition": export.attached(comparison), "X-Content-Type-Options": "nosniff"}
        return HttpResponse(content, content_type=export.TYPE, headers=headers)


def _refuse_repeated(runs: Sequence[int]) -> None:
    """Refuse a run that is named twice: its difference from itself says nothing."""
    repeated = next((run for run in runs if runs.count(run) > 1), None)
    if repeated is not None:
        message = f"Run {repeated} is named twice."
        raise Invalid("invalid", message, fields={"runs": [message]})


def ids(text: str, field: str) -> list[int]:
    """The ids in a comma-separated parameter."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        message = "Expected ids, separated by commas."
        raise Invalid("invalid", message, fields={field: [message]})
    return [int(part) for part in parts]
