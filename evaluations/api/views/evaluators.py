"""Evaluators, the catalogue of kinds, and scores of texts in a request."""

from typing import Any

from django.db import transaction
from django.db.models import Count, F, Prefetch, Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations import kinds
from evaluations.access import permissions
from evaluations.evaluators import evaluators, sent_items
from evaluations.models import Evaluator, EvaluatorVersion
from evaluations.numerals import grouped

from .. import pagination
from ..preconditions import etag
from ..refusals import NotFound
from ..routes import noun, route
from ..schema import IF_MATCH
from ..serializers.evaluator import (
    EvaluatorChangeSerializer,
    EvaluatorSerializer,
    EvaluatorVersionSerializer,
    ItemsSerializer,
    KindSerializer,
    NewEvaluatorSerializer,
    ScoresSerializer,
)
from ..serializers.page import PageQuery
from .base import READ, RUN, Noun, Restores, Thing, View, deletes, find, takes, visible
from .judgings import money_of


@extend_schema_view(retrieve=extend_schema(description="One evaluator kind."))
@noun("evaluator-kinds", "kind")
class Kinds(Noun):
    """The catalogue of evaluator kinds."""

    serializer_class = KindSerializer
    list_query = PageQuery
    lookup_url_kwarg, lookup_value_converter = "key", "slug"

    def list(self, request: Request) -> Response:
        return self.page(pagination.by_index([*kinds.CATALOGUE.values()]))

    def get_object(self) -> kinds.Kind:
        if self.kwargs["key"] not in kinds.CATALOGUE:
            raise NotFound()
        return kinds.get(self.kwargs["key"])


@extend_schema_view(retrieve=extend_schema(description="An evaluator with its newest version."))
@noun("evaluators", "evaluator")
class Evaluators(Restores, Noun):
    """Evaluators of the project."""

    serializer_class = EvaluatorSerializer

    def get_queryset(self) -> QuerySet[Evaluator]:
        return with_figures(visible(Evaluator, self.key))

    def tag(self, evaluator: Evaluator) -> str:
        return etag(evaluator.pk, evaluator.name, evaluator.version)

    @takes(NewEvaluatorSerializer, {201: EvaluatorSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Create an evaluator: a name, a kind, a config and an input mapping."""
        return self.answer(evaluators.create(self.project, self.person, **body), 201)

    @extend_schema(request=EvaluatorChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the evaluator, or create a new version. Runs keep the version that scored them."""
        body = self.checked(EvaluatorChangeSerializer)
        with transaction.atomic():
            evaluator = self.locked(Evaluator)
            evaluators.change(evaluator, self.person, **body)
        return self.answer(evaluator)

    destroy = deletes(evaluators.delete, "Delete it; its scores stay.", creators_only=False)

    def require_removal(self, target: Thing) -> Thing:
        """Whoever may change it may restore it."""
        return target

    @action(detail=True, serializer_class=EvaluatorVersionSerializer, query=PageQuery, has_pages=True)
    def versions(self, request: Request, pk: int) -> Response:
        """Every version of an evaluator, newest first."""
        evaluator = find(visible(Evaluator, self.key), pk)
        return self.page(pagination.by_field(evaluator.versions.all(), "number"))


def with_figures(queryset: QuerySet[Evaluator]) -> QuerySet[Evaluator]:
    """Evaluators with their newest version, and the number of runs scored by any version."""
    newest = EvaluatorVersion.objects.filter(number=F("evaluator__version"))
    runs = Count("versions__scorings__run", filter=Q(versions__scorings__run__deleted_at=None), distinct=True)
    return queryset.annotate(used_by=runs).prefetch_related(
        Prefetch("versions", queryset=newest, to_attr="newest_versions")
    )


@route("score/", "score")
class Score(View):
    """Score texts in the request; nothing is stored, and texts are used exactly as sent."""

    serializer_class = ScoresSerializer
    needs = {"POST": READ}
    takes_nul = True

    @extend_schema(
        request=ItemsSerializer,
        description=f"Score up to {grouped(sent_items.MOST_ITEMS)} items. A kind that calls a server accepts up to "
        f"{sent_items.MOST_SEMANTIC} and needs the scope `run`; it buys vectors that are not stored with `budget` or "
        "`max_calls`.",
    )
    def post(self, request: Request) -> Response:
        body = self.checked(ItemsSerializer)
        spend = money_of(body)
        items = {name: value for name, value in body.items() if name not in ("budget", "max_calls")}
        kind = kinds.CATALOGUE.get(body["kind"])
        if kind is not None and kind.needs_connection:
            permissions.require(self.key, self.project, RUN)
        return Response(sent_items.score(self.project, **items, money=spend))
