"""The preview of newer evaluator versions."""

from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons import previews
from evaluations.models import Evaluator, Experiment

from ..routes import route
from ..serializers.preview import PreviewQuery, PreviewSerializer
from .base import View, find, find_all, visible
from .comparisons import ids


@route("experiments/<id:pk>/preview/", "experiment-preview")
class ExperimentPreview(View):
    """Preview what newer versions of evaluators would change in the existing runs."""

    serializer_class = PreviewSerializer
    query = PreviewQuery

    def get(self, request: Request, pk: int) -> Response:
        """The effect of newer evaluator versions: scores, changed verdicts and ranking. Nothing is stored."""
        experiment = find(visible(Experiment, self.key), pk)
        if "evaluators" in self.params:
            evaluator_ids = ids(self.params["evaluators"], "evaluators")
            used = find_all(visible(Evaluator, self.key), evaluator_ids, "evaluators")
        else:
            used = previews.outdated(experiment)
        return Response(self.get_serializer(previews.preview(experiment, used)).data)
