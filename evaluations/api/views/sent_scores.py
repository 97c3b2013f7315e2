"""Scores that are sent to a run: by your own code, by a judge elsewhere, from a file."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.experiments import sent_scores
from evaluations.imports import score_files
from evaluations.models import Evaluator, Run

from .. import json_body
from ..idempotency import once
from ..parsing import JSONParser, UploadParser
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.run import RunSerializer
from ..serializers.sent_scores import (
    NewScoresSerializer,
    ScoresUploadSerializer,
    SentEvaluatorSerializer,
    SentScoresSerializer,
)
from .base import RUN, WAY_BACK, WRITE, find, visible
from .datasets import is_form
from .runs import RunView


@route("runs/<id:pk>/scores/", "scores-list")
class RunScores(RunView):
    needs = {"POST": RUN}
    parser_classes = [JSONParser, UploadParser]

    @extend_schema(
        request={"application/json": NewScoresSerializer, "multipart/form-data": ScoresUploadSerializer},
        responses={201: SentScoresSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add scores to a draft or a run whose answers are complete, as JSON or as a file.

        The last score of an example counts; earlier ones stay in its history. On an error nothing is stored. The first
        scores with a name make its evaluator.
        """
        run = self.run()
        if is_form(request):
            return self._file(run, self.checked(ScoresUploadSerializer))
        body = self.checked(NewScoresSerializer)
        return once(request, request.data, partial(self._send, run, body["evaluator"], body["scores"]))

    def _send(
        self,
        run: Run,
        evaluator: dict[str, Any],
        scores: list[dict[str, Any]],
        left_out: Sequence[str] = (),
    ) -> Response:
        settings = {name: value for name, value in evaluator.items() if name != "name"}
        sent = sent_scores.send(run, self.person, evaluator["name"], settings, scores)
        return Response(SentScoresSerializer(replace(sent, left_out=left_out)).data, 201)

    def _file(self, run: Run, body: dict[str, Any]) -> Response:
        sent = SentEvaluatorSerializer(data=json_body.object_in(body["evaluator"], "evaluator"))
        sent.is_valid(raise_exception=True)
        columns = json_body.object_in(body["columns"], "columns")
        with self.parked(body) as upload:
            read = score_files.read(upload, columns)
            identity = {"evaluator": body["evaluator"], "columns": columns, "file": upload.sha256}
            send = partial(self._send, run, sent.validated_data, read.scores, left_out=read.left_out)
            return once(self.request, identity, send)


@route("runs/<id:pk>/scores/<id:evaluator>/", "scores-detail")
class RunScoresDetail(RunView):
    needs = {"DELETE": WRITE}

    @extend_schema(
        responses={204: None}, description=f"Remove the scores that were sent for an evaluator; {WAY_BACK}."
    )
    def delete(self, request: Request, pk: int, evaluator: int) -> Response:
        run = self.require_removal(self.run())
        sent_scores.remove(run, find(visible(Evaluator, self.key), evaluator))
        return Response(status=204)


@route("runs/<id:pk>/scores/<id:evaluator>/restore/", "scores-restore")
class RunScoresRestore(RunView):
    needs = {"POST": WRITE}

    @extend_schema(request=None, responses={202: RunSerializer})
    def post(self, request: Request, pk: int, evaluator: int) -> Response:
        """Bring back the scores that were removed; a worker builds their column again."""
        self.nothing_given()
        run = self.require_removal(self.run())
        target = find(visible(Evaluator, self.key), evaluator)

        def restore() -> Response:
            sent_scores.restore(run, target)
            return self.answer(run, 202)

        return once(request, {}, restore)
