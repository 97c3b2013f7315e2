"""Evaluators checked against people: the passport, its sealed labels, and which evaluator agrees best."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.comparisons.people import held, passports, ranking
from evaluations.errors import Invalid
from evaluations.labelling import sealing
from evaluations.models import Evaluator, EvaluatorVersion, Experiment

from ..routes import route
from ..serializers.passport import (
    LabelAgreementQuery,
    LabelAgreementSerializer,
    OpenPassportSerializer,
    PassportQuery,
    PassportSerializer,
    UnsealingSerializer,
    UnsealSerializer,
)
from .base import ADMIN, WRITE, View, find, visible
from .labels import label_sets

NO_LABELS = "No answer that this evaluator scored is labelled by people."


class PassportView(View):
    serializer_class = PassportSerializer

    def get_queryset(self) -> QuerySet[Evaluator]:
        return visible(Evaluator, self.key)

    def version(self) -> EvaluatorVersion:
        evaluator = find(self.get_queryset(), self.kwargs["pk"])
        return evaluator.versions.select_related("evaluator").get(number=evaluator.version)

    def label_set(self, pk: int | None, version: EvaluatorVersion) -> Evaluator:
        if pk is not None:
            return find(label_sets(self.key), pk, "label_set")
        known = held.label_sets_of(version.evaluator)
        found = next((label_set for label_set in known if held.fits(version, label_set)), None)
        if found is None:
            raise Invalid(
                "no_labels", NO_LABELS, hint="Ask people: POST label-tasks/ with runs that it scored."
            )
        return found


@route("evaluators/<id:pk>/passport/", "evaluator-passport")
class Passport(PassportView):
    query = PassportQuery

    @extend_schema(responses=PassportSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """What the newest version of an automatic evaluator is worth, checked against people's labels."""
        version = self.version()
        label_set = self.label_set(self.params.get("label_set"), version)
        return Response(self.get_serializer(passports.of(version, label_set)).data)


@route("evaluators/<id:pk>/passport/open/", "evaluator-passport-open")
class PassportOpen(PassportView):
    needs = {"POST": WRITE}

    @extend_schema(request=OpenPassportSerializer, responses={201: PassportSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Open the sealed labels of a label set for the newest version: once is honest, and every time counts.

        409 `too_few_labels` below 30 sealed labels. It cannot be undone: what was seen was seen."""
        body, version = self.checked(OpenPassportSerializer), self.version()
        label_set = self.label_set(body["label_set"], version)
        opened = passports.open_sealed(version, label_set, self.person)
        return Response(self.get_serializer(opened).data, 201)


@route("label-sets/<id:pk>/unseal/", "labelset-unseal")
class LabelSetUnseal(View):
    needs = {"POST": ADMIN}

    @extend_schema(request=UnsealSerializer, responses={201: UnsealingSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Let everybody read what judges said about the sealed labels of a set, for good and with a reason.

        Passports that exist stay, and say so; the labels measure no further version (409 `labels_unsealed`). It cannot
        be undone: what was seen was seen."""
        body, label_set = self.checked(UnsealSerializer), find(label_sets(self.key), pk)
        return Response(UnsealingSerializer(sealing.unseal(label_set, self.person, body["reason"])).data, 201)


@route("label-sets/<id:pk>/agreement/", "labelset-agreement")
class LabelAgreement(View):
    serializer_class = LabelAgreementSerializer
    query = LabelAgreementQuery

    def get(self, request: Request, pk: int) -> Response:
        """How well people agree with each other on a label set, and which evaluator agrees best with them."""
        label_set, number = find(label_sets(self.key), pk), self.params.get("experiment")
        experiment = None if number is None else find(visible(Experiment, self.key), number, "experiment")
        found = ranking.of(held.labelled_runs(label_set, experiment))
        return Response(self.get_serializer(found).data)
