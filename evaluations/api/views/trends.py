"""The trend, the leaderboard and the agreement of systems of a dataset."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons.over_time import trends
from evaluations.comparisons.over_time.items import Items, items
from evaluations.comparisons.over_time.leaderboards import leaderboard
from evaluations.comparisons.over_time.system_agreement import system_agreement
from evaluations.comparisons.over_time.trends import Trend

from ..routes import route
from ..serializers.items import ItemsSerializer
from ..serializers.system_agreement import AgainstQuery, SystemAgreementSerializer
from ..serializers.trend import (
    EvaluatorQuery,
    LeaderboardSerializer,
    TrendSerializer,
    of_leaderboard,
    of_trend,
)
from .datasets import OfDataset


@route("datasets/<id:pk>/trend/", "dataset-trend")
class DatasetTrend(OfDataset):
    query = EvaluatorQuery

    @extend_schema(responses=TrendSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The means of all runs on the dataset by one evaluator, over time."""
        return Response(of_trend(self.trend()).data)

    def trend(self) -> Trend | None:
        return trends.trend(self.dataset(), self.params.get("evaluator", ""))


@route("datasets/<id:pk>/leaderboard/", "dataset-leaderboard")
class DatasetLeaderboard(DatasetTrend):
    @extend_schema(responses=LeaderboardSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The latest run of every variant, ranked by comparing all pairs. Only comparable runs are ranked."""
        trend = self.trend()
        return Response(of_leaderboard(leaderboard(trend) if trend else None).data)


@route("datasets/<id:pk>/items/", "dataset-items")
class DatasetItems(DatasetTrend):
    @extend_schema(responses=ItemsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The examples that tell no ranked variant apart, and the references that all good variants contradict."""
        trend = self.trend()
        return Response(ItemsSerializer(items(trend) if trend else Items([], 0)).data)


@route("datasets/<id:pk>/systems/", "dataset-systems")
class DatasetSystems(OfDataset):
    query = AgainstQuery

    @extend_schema(responses=SystemAgreementSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """How well evaluators agree with `against`, such as human scores, on the order of the variants."""
        return Response(
            SystemAgreementSerializer(system_agreement(self.dataset(), self.params.get("against", ""))).data
        )
