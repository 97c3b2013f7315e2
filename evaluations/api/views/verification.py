"""The verification of a run's stored scores."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.results.shown import scorings_of
from evaluations.scoring import drift

from ..routes import route
from ..serializers.verification import VerificationSerializer, VerifySerializer
from .base import RUN
from .runs import RunView


@route("runs/<id:pk>/verify/", "run-verify")
class RunVerify(RunView):
    serializer_class = VerificationSerializer
    needs = {"POST": RUN}

    @extend_schema(request=VerifySerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Compute the scores of a run again, a few seconds' worth per call; nothing is stored."""
        after, run = self.checked(VerifySerializer)["after"], self.run()
        report = drift.verify(run, scorings_of(run), after, drift.SECONDS)
        return Response(self.get_serializer(drift.as_dict(report)).data)
