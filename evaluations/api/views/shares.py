"""Read-only links to experiments, comparisons and reports; saved views."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access.addresses import public_address
from evaluations.experiments import saved_views
from evaluations.models import Experiment, SavedView, ShareLink
from evaluations.reports import sharing
from evaluations.reports.sharing import Plan

from ..idempotency import once_with_secret
from ..routes import noun
from ..schema import IDEMPOTENCY_KEY
from ..serializers.comparison_query import ComparisonQuery
from ..serializers.page import PageQuery
from ..serializers.shares import (
    MadeShareLinkSerializer,
    NewSavedViewSerializer,
    NewShareLinkSerializer,
    SavedViewChangeSerializer,
    SavedViewSerializer,
    ShareLinkSerializer,
    ShareLinksQuery,
)
from .base import READ, WRITE, Noun, RestoredByMakers, Restores, deletes, find, takes, visible
from .comparisons import comparison_of


@extend_schema_view(retrieve=extend_schema(description="One link; its address is not stored."))
@noun("share-links", "share")
class ShareLinks(Restores, Noun):
    """The links of the project that still show something, the newest first."""

    serializer_class = ShareLinkSerializer
    list_query = ShareLinksQuery
    needs = {"GET": WRITE, "POST": WRITE, "DELETE": WRITE}

    def get_queryset(self) -> QuerySet[ShareLink]:
        return sharing.links_of(self.project)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return sharing.ended_links_of(self.project) if self.params.get("ended") else queryset

    @extend_schema(
        request=NewShareLinkSerializer,
        responses={201: MadeShareLinkSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def create(self, request: Request) -> Response:
        """Make a link that needs no account. Its address is shown once; the site keeps only a digest."""
        body = self.checked(NewShareLinkSerializer)
        return once_with_secret(request, "url", partial(self._make, body))

    def _make(self, body: dict[str, Any]) -> tuple[Response, str]:
        if "id" in body:
            experiment = find(
                visible(Experiment, self.key).select_related("project", "dataset"), body["id"], "id"
            )
            comparison = sharing.of_experiment(experiment)
        else:
            query = ComparisonQuery.from_params(QueryDict(body["query"]))
            query.is_valid(raise_exception=True)
            comparison = comparison_of(self.key, query.validated_data)
            experiment = comparison.sides.experiment
        plan = Plan(body["object"], body["texts"], body["note"], body.get("expires_at"))
        link, token = sharing.create(experiment, comparison, self.person, plan)
        address = public_address(self.request, reverse("share-read", args=[token]))
        return Response(self.get_serializer(link).data, 201), address

    destroy = deletes(sharing.end, "End a link; {undo}.", creators_only=False)


@extend_schema_view(retrieve=extend_schema(description="One saved view."))
@noun("views", "view")
class SavedViews(RestoredByMakers, Noun):
    """The saved views that are shared in the project, and one's own."""

    needs = RestoredByMakers.needs | {"PATCH": READ}
    serializer_class = SavedViewSerializer
    list_query = PageQuery

    def get_queryset(self) -> QuerySet[SavedView]:
        return saved_views.seen_by(self.key, SavedView.objects.live())

    @takes(NewSavedViewSerializer, {201: SavedViewSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Save the path of a page with its filters. It is on the front page, for its maker or for everybody."""
        view = saved_views.save(self.project, self.key, body["name"], body["path"], shared=body["shared"])
        return Response(self.get_serializer(view).data, 201)

    @extend_schema(request=SavedViewChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the view; for its maker and administrators."""
        body = self.checked(SavedViewChangeSerializer)
        return self.answer(saved_views.rename(self.key, self.get_object(), body["name"]))

    def restorable(self) -> QuerySet[SavedView]:
        return saved_views.seen_by(self.key, SavedView.objects.all())
