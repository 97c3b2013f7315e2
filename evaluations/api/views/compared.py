"""Compared examples, and the scatter of two runs."""

from dataclasses import replace

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples, gains
from evaluations.comparisons.examples.examples import Question
from evaluations.comparisons.examples.gains import Alignment
from evaluations.errors import Invalid
from evaluations.keyset import Slice
from evaluations.models import Evaluator
from evaluations.results.searching import Stretch
from evaluations.statistics.ordering import Cursor

from ..pagination import SearchedPages, by_stretch
from ..routes import route
from ..serializers.compared import (
    ORDERS,
    ComparedExampleSerializer,
    ComparedExamplesQuery,
    ComparedQuery,
    ScatterSerializer,
    example,
)
from .comparisons import Comparisons


def evaluator_of(comparison: Comparison, name: str) -> Evaluator:
    """The evaluator with this name or id, the primary one for ""; raises `Invalid` if there is none."""
    chosen = comparison.evaluators.named(name)
    if chosen is None:
        message = "These runs have no scores."
        raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})
    return chosen


class ComparedView(Comparisons):
    query = ComparedQuery

    def evaluator(self, comparison: Comparison) -> Evaluator:
        """The evaluator named in the query, else the primary one."""
        return evaluator_of(comparison, self.params.get("evaluator", ""))


@route("comparisons/examples/", "comparison-examples")
class ComparedExamples(ComparedView):
    """The examples of a comparison with their texts."""

    has_pages = True
    pagination_class = SearchedPages
    serializer_class = ComparedExampleSerializer
    query = ComparedExamplesQuery

    @extend_schema(responses=ComparedExampleSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The outputs of every run side by side, the largest regressions first."""
        comparison = self.comparison()
        evaluator = self.evaluator(comparison)
        conditions = {name: self.params[name] for name in ("outcome", "search", "different")}
        order, least = ORDERS[self.params["order"]], self.params["least_difference"]
        question = Question(evaluator, order=order, least=least, **conditions)
        aligned = Alignment(comparison, evaluator)

        def fetch(searched: Stretch | None, size: int, after: Cursor | None, before: Cursor | None) -> Slice:
            within = replace(question, searched=searched)
            page = examples.examples(comparison, within, size, after=after, before=before, aligned=aligned)
            return Slice(page.rows, page.before, page.after)

        pages = by_stretch(len(comparison.aligner.positions) if question.reads_texts else 0, fetch)
        found = [example(comparison, evaluator, row) for row in self.paginate_queryset(pages)]
        return self.get_paginated_response(ComparedExampleSerializer(found, many=True).data)


@route("comparisons/scatter/", "comparison-scatter")
class Scatter(ComparedView):
    """The scatter of a comparison."""

    serializer_class = ScatterSerializer

    def get(self, request: Request) -> Response:
        """The number of examples for each pair of scores: the baseline's and the run's. Sealed ones are left out."""
        comparison = self.comparison()
        evaluator = self.evaluator(comparison)
        (baseline, *variants), hidden = gains.readable(comparison, evaluator)
        runs = []
        for side, column in zip(comparison.sides.others, variants, strict=True):
            squares = examples.squares_of(comparison, evaluator, baseline, column)
            edges, counts = squares.edges.tolist(), squares.counts().tolist()
            runs.append({"run": side.run.pk, "n": squares.n, "edges": edges, "counts": counts})
        answer = {"baseline": comparison.sides.baseline.run.pk, "evaluator": evaluator.pk, "runs": runs}
        answer["sealed"] = int(hidden.sum())
        return Response(ScatterSerializer(answer).data)
