from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons.comparison import MOST_REPEATS, MOST_RUNS, Comparison
from evaluations.errors import Invalid

from ..serializers.comparison import ComparisonQuery, ComparisonSerializer, as_dict
from .base import READ, find_all
from .runs import RunView


class Comparisons(RunView):
    """Runs of one dataset against a baseline, example by example."""

    serializer_class = ComparisonSerializer
    needs = {"GET": READ}
    query = ComparisonQuery

    @extend_schema(responses=ComparisonSerializer)
    def get(self, request: Request) -> Response:
        """Whether the difference of each run from the baseline is real, by every evaluator."""
        wanted = ids(self.params["runs"], "runs")
        averaged = "repeats" in self.params
        most = MOST_REPEATS if averaged else MOST_RUNS
        if len(set(wanted)) > most:
            raise Invalid("too_many_runs", f"At most {most} runs can be compared.")
        baseline = ids(self.params["baseline"], "baseline")[:1] if "baseline" in self.params else wanted[:1]
        compared = find_all(self.get_queryset(), [*baseline, *wanted], "runs")
        comparison = Comparison(
            compared,
            compared[0],
            cluster=self.params.get("cluster", ""),
            repeats=averaged,
            missing=self.params.get("missing", "worst"),
        )
        return Response(as_dict(comparison))


def ids(text: str, field: str) -> list[int]:
    """The ids in a comma-separated parameter."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        message = "Expected ids, separated by commas."
        raise Invalid("invalid", message, fields={field: [message]})
    return [int(part) for part in parts]
