"""How often people prefer one of two variants, by the labels of a task about pairs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons import win_rates

from ..serializers.raters import WinRateSerializer
from .base import READ
from .raters import TaskView


class LabelTaskWinRate(TaskView):
    needs = {"GET": READ}

    @extend_schema(responses={200: WinRateSerializer, 204: None})
    def get(self, request: Request, pk: int) -> Response:
        """The share of pairs in which people preferred the second run, ties as half; 204 without labels of pairs."""
        task = self.task()
        runs = (
            task.runs.filter(deleted_at=None).select_related("experiment__dataset", "project").order_by("pk")
        )
        found = win_rates.of_pair(task.version, list(runs))
        return Response(status=204) if found is None else Response(WinRateSerializer(found).data)
