"""Gates and their checks, also as JUnit XML and Markdown."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations.access.addresses import public_address
from evaluations.gates import gates
from evaluations.gates import output as gate_output
from evaluations.gates.gates import Plan
from evaluations.models import Dataset, Gate, GateCheck, Run

from ..preconditions import etag, require_match
from ..routes import noun, route
from ..schema import IF_MATCH
from ..serializers.gate import (
    CheckQuery,
    CheckSerializer,
    GateChangeSerializer,
    GateCheckSerializer,
    GateSerializer,
    NewGateSerializer,
)
from ..serializers.page import PageQuery
from .base import RUN, Noun, Restores, View, deletes, find, takes, visible
from .datasets import split_of
from .results import AnyAccept


class GateView(View):
    serializer_class: type[BaseSerializer[Any]] = GateSerializer

    def get_queryset(self) -> QuerySet[Gate]:
        live = visible(Gate, self.key).filter(dataset__deleted_at=None)
        return live.select_related("project", "dataset", "baseline__experiment", "split")

    def tag(self, gate: Gate) -> str:
        return etag(gate.pk, gate.name, gate.hash)

    def run(self, pk: int, field: str) -> Run:
        live = visible(Run, self.key).filter(experiment__deleted_at=None)
        return find(live.select_related("experiment__dataset"), pk, field)


@extend_schema_view(retrieve=extend_schema(description="A gate with its criteria and its hash."))
@noun("gates", "gate")
class Gates(Restores, Noun, GateView):
    """Gates of the project."""

    needs = {**View.needs, "keep_check": RUN}

    @takes(NewGateSerializer, {201: GateSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Create a gate: criteria for runs against a baseline, locked by a hash."""
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset") if "dataset" in body else None
        parts = {name: body[name] for name in ("criteria", "missing", "accepts_inconclusive")}
        baseline = self.run(body["baseline"], "baseline")
        plan = Plan(baseline, **parts, split=split_of(baseline.experiment.dataset, body))
        return self.answer(gates.create(self.project, self.person, body["name"], plan, dataset), 201)

    @extend_schema(request=GateChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the gate, or change its fields, which locks it again. A pipeline that sends the old hash gets
        CHANGED."""
        body = self.checked(GateChangeSerializer)
        with transaction.atomic():
            find(visible(Gate, self.key).select_for_update(), pk)
            gate = find(self.get_queryset(), pk)
            require_match(request, self.tag(gate))
            gates.change(gate, self._plan(gate, body), body.get("name"))
        return self.answer(gate)

    def _plan(self, gate: Gate, body: dict[str, Any]) -> Plan | None:
        parts = {name: value for name, value in body.items() if name != "name"}
        if not parts:
            return None
        if "split" in parts:
            parts["split"] = split_of(gate.dataset, body)
        if "baseline" in parts:
            parts["baseline"] = self.run(parts["baseline"], "baseline")
            present = {"criteria": gate.criteria, "missing": gate.missing, "split": gate.split}
            return Plan(**present | {"accepts_inconclusive": gate.accepts_inconclusive} | parts)
        return replace(gates.plan_of(gate), **parts)

    destroy = deletes(gates.delete)

    def restorable(self) -> QuerySet[Any]:
        return super().restorable().filter(dataset__deleted_at=None)

    @action(detail=True, serializer_class=GateCheckSerializer, query=CheckQuery)
    def check(self, request: Request, pk: int) -> Response:
        """Check a run against the gate; nothing is stored."""
        gate, run = find(self.get_queryset(), pk), self.run(self.params["run"], "run")
        check = gates.check(gate, run, self.person, self.params.get("hash"))
        return Response(self.get_serializer(check).data)

    @takes(CheckSerializer, {201: GateCheckSerializer}, of=View.get_object)
    @check.mapping.post
    def keep_check(self, gate: Gate, body: dict[str, Any]) -> Response:
        """Check a run against the gate and store the result: pass, fail, inconclusive or changed."""
        check = gates.check(gate, self.run(body["run"], "run"), self.person, body.get("hash"))
        gates.keep(check)
        return Response(self.get_serializer(check).data, 201)

    @action(detail=True, serializer_class=GateCheckSerializer, query=PageQuery, has_pages=True)
    def checks(self, request: Request, pk: int) -> Response:
        """The stored checks of a gate, newest first."""
        return self.page(visible_checks(find(self.get_queryset(), pk)))


def visible_checks(gate: Gate) -> QuerySet[GateCheck]:
    """The stored checks of runs that are not deleted."""
    return gate.checks.filter(run__deleted_at=None, run__experiment__deleted_at=None)


@route("gates/<id:pk>/checks/<id:check>/", "gate-checked")
class GateCheckDetail(GateView):
    """A stored check."""

    serializer_class = GateCheckSerializer

    def stored(self) -> GateCheck:
        gate = find(self.get_queryset(), self.kwargs["pk"])
        return find(visible_checks(gate).select_related("gate", "run"), self.kwargs["check"])

    def gate_address(self, pk: int) -> str:
        return public_address(self.request, reverse("gate-detail", args=[pk]))

    def get(self, request: Request, pk: int, check: int) -> HttpResponse:
        return Response(self.get_serializer(self.stored()).data)


@route("gates/<id:pk>/checks/<id:check>/junit/", "gate-junit")
class GateCheckJunit(GateCheckDetail):
    content_negotiation_class = AnyAccept

    @extend_schema(responses={(200, "application/xml"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: int, check: int) -> HttpResponse:
        """The check as JUnit XML, one case per criterion."""
        return _text(gate_output.junit(self.stored(), self.gate_address(pk)), gate_output.JUNIT)


@route("gates/<id:pk>/checks/<id:check>/markdown/", "gate-markdown")
class GateCheckMarkdown(GateCheckDetail):
    content_negotiation_class = AnyAccept

    @extend_schema(responses={(200, "text/markdown"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: int, check: int) -> HttpResponse:
        """The check as Markdown. The first line lets a bot find and update its own comment."""
        return _text(gate_output.markdown(self.stored(), self.gate_address(pk)), gate_output.MARKDOWN)


def _text(content: bytes | str, kind: str) -> HttpResponse:
    return HttpResponse(content, content_type=kind, headers={"X-Content-Type-Options": "nosniff"})
