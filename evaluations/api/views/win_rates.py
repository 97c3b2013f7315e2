"""How often people prefer one of two variants, by the labels of a task about pairs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons import win_rates

from ..routes import route
from ..serializers.raters import WinRateSerializer
from .raters import TaskView

NO_PAIRS = {"run": None, "baseline": None, "n": 0, "rate": None}


@route("label-tasks/<id:pk>/win-rate/", "labeltask-winrate")
class LabelTaskWinRate(TaskView):
    @extend_schema(responses=WinRateSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The share of pairs in which people preferred the second run, ties as half; null without labels of pairs."""
        task = self.task()
        runs = (
            task.runs.filter(deleted_at=None).select_related("experiment__dataset", "project").order_by("pk")
        )
        found = win_rates.of_pair(task.version, list(runs))
        return Response(WinRateSerializer(found or NO_PAIRS).data)
