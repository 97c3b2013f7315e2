"""Judgings: judges that read answers, what they said, and what is known of a judge."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations import kinds
from evaluations.errors import Invalid
from evaluations.evaluators import embeddings, evaluators
from evaluations.judges import allowances, checks, judgings
from evaluations.judges.judgings import Asked
from evaluations.labelling import seal
from evaluations.models import ApiKey, Connection, Evaluator, EvaluatorVersion, Judging, Run, Verdict
from evaluations.prompts import money
from evaluations.prompts.named import Money

from ..refusals import NotFound
from ..routes import noun, route
from ..serializers.judging import (
    ChecksSerializer,
    JudgingSerializer,
    JudgingsQuery,
    NewJudgingSerializer,
    VerdictSerializer,
    VerdictsQuery,
)
from ..serializers.page import PageQuery
from .base import READ, RUN, Listing, Noun, View, find, takes, visible


@extend_schema_view(
    retrieve=extend_schema(description="One request, with its progress and what it has spent.")
)
@noun("judgings", "judging")
class Judgings(Noun):
    """Requests that judges read answers, newest first."""

    serializer_class = JudgingSerializer
    list_query = JudgingsQuery
    needs = {"GET": READ, "POST": RUN}

    def get_queryset(self) -> QuerySet[Judging]:
        live = visible(Judging, self.key).filter(run__deleted_at=None)
        return live.select_related("version", "budget", "run__experiment__dataset", "project")

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        names = {"run": "run", "evaluator": "version__evaluator", "purpose": "purpose"}
        return queryset.filter(
            **{field: self.params[name] for name, field in names.items() if name in self.params}
        )

    @takes(NewJudgingSerializer, {202: JudgingSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Try a rubric on a few answers (`try`), ask the same again (`repeats`), or try the ten attacks (`attacks`).
        No column of scores changes."""
        run = find(_runs(self.key), body["run"], "run")
        judging = judgings.ask_some(
            run,
            self._asked(body),
            self.person,
            money_of(body),
            body["purpose"],
            body["positions"],
            against_of(self, body),
        )
        return self.answer(judging, 202)

    def _asked(self, body: dict[str, Any]) -> Asked:
        """A saved judge, or the rubric of the body."""
        if "evaluator" in body:
            return judgings.asked_version(_judge(self.key, body["evaluator"]))
        if "config" not in body:
            message = "Name an evaluator, or send a config."
            raise Invalid("invalid_judging", message, fields={"config": [message]})
        if body["kind"] not in kinds.JUDGES:
            message = f"The kinds that are asked are {' and '.join(kinds.JUDGES)}."
            raise Invalid("invalid_judging", message, fields={"kind": [message]})
        recipe = evaluators.check(self.project, body["kind"], body["config"], {})
        return Asked(body["kind"], recipe.config, self._connection(body.get("connection")))

    def _connection(self, pk: int | None) -> Connection:
        if pk is not None:
            return embeddings.project_connection(self.project, pk, "connection")
        return judgings.connection_of(Evaluator(project=self.project, name="The rubric"))

    @extend_schema(request=None, responses=JudgingSerializer)
    @action(methods=["post"], detail=True)
    def cancel(self, request: Request, pk: int) -> Response:
        """Make no further calls. Verdicts so far are kept, and asking again continues from there."""
        self.nothing_given()
        return self.answer(judgings.cancel(find(self.get_queryset(), pk)))


@route("judgings/<id:pk>/verdicts/", "judging-verdicts")
class JudgingVerdicts(Listing):
    """The verdicts of one request, but those on sealed labels."""

    serializer_class = VerdictSerializer
    query = PageQuery

    def get_queryset(self) -> QuerySet[Verdict]:
        related = visible(Judging, self.key).select_related("version", "run")
        judging = find(related.filter(run__deleted_at=None), self.kwargs["pk"])
        return seal.readable_of(judging).select_related("version")


@route("runs/<id:pk>/verdicts/", "run-verdicts")
class RunVerdicts(Listing):
    """What a judge answered about the outputs of a run: every call that was paid, newest first.

    What it said about answers with sealed labels is left out until these are open for its version."""

    serializer_class = VerdictSerializer
    query = VerdictsQuery

    def get_queryset(self) -> QuerySet[Verdict]:
        run = find(_runs(self.key), self.kwargs["pk"])
        evaluator = find(visible(Evaluator, self.key), self.params["evaluator"], "evaluator")
        of_run = Verdict.objects.filter(run=run, version__evaluator=evaluator)
        return seal.readable(of_run, run, evaluator.versions.all()).select_related("version")


@route("evaluators/<id:pk>/checks/", "evaluator-checks")
class EvaluatorChecks(View):
    serializer_class = ChecksSerializer

    def get(self, request: Request, pk: int) -> Response:
        """What was tried on a judge: repeats, order, attacks, the names of its models, and whether it has drifted."""
        return Response(ChecksSerializer(checks.known(_judge(self.key, pk, field=""))).data)


def _runs(key: ApiKey) -> QuerySet[Run]:
    live = visible(Run, key).filter(experiment__deleted_at=None)
    return live.select_related("experiment__dataset", "project")


def _judge(key: ApiKey, pk: int, field: str = "evaluator") -> EvaluatorVersion:
    """The newest version of a judge; other evaluators are not found."""
    evaluator = find(visible(Evaluator, key).select_related("project", "connection"), pk, field)
    version = evaluators.newest(evaluator)
    if version.kind not in kinds.JUDGES:
        raise NotFound(f"judge {pk}" if field else "", field)
    return version


def money_of(body: dict[str, Any]) -> Money:
    """What a body lets evaluators spend."""
    return Money(money.limit(body.get("budget"), "budget"), body.get("max_calls"))


def pay(view: View, runs: list[Run], chosen: list[EvaluatorVersion], body: dict[str, Any]) -> None:
    """Let those among these versions that call a server score the runs, if the body names money."""
    allowances.pay(runs, chosen, view.person, money_of(body), against_of(view, body))


def against_of(view: View, body: dict[str, Any]) -> Run | None:
    """The run that a body names for judges of pairs to compare with."""
    return find(_runs(view.key), body["against"], "against") if "against" in body else None
