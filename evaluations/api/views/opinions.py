"""What people say of one run."""

from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons import opinions

from ..routes import route
from ..serializers.opinion import OpinionQuery, OpinionsSerializer
from .runs import RunView


@route("runs/<id:pk>/people/", "run-people")
class RunPeople(RunView):
    """The means of people's labels on one run."""

    serializer_class = OpinionsSerializer
    query = OpinionQuery

    def get(self, request: Request, pk: int) -> Response:
        """What people say by each label set: the mean of their labels, made narrower by an evaluator that is held
        against them. For a run without labels it is transferred from others."""
        is_helped = self.params["estimate"] == "helped"
        found = opinions.of(self.run(), self.params["evaluator"], is_helped=is_helped)
        return Response(self.get_serializer({"opinions": found}).data)
