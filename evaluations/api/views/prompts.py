"""Prompts, their versions, differences, and rendered messages."""

from typing import Any

from django.db import transaction
from django.db.models import Count, F, Prefetch, Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations import owned
from evaluations.models import Connection, Dataset, Prompt, PromptLabel, PromptVersion
from evaluations.prompts import prompts, rendering, versions
from evaluations.prompts.content import Content

from .. import pagination
from ..preconditions import etag
from ..routes import noun
from ..schema import IF_MATCH
from ..serializers.page import PageQuery
from ..serializers.prompt import (
    DiffQuery,
    DuplicateSerializer,
    NewPromptSerializer,
    NewVersionSerializer,
    PromptChangeSerializer,
    PromptDifferencesSerializer,
    PromptSerializer,
    PromptVersionSerializer,
    RenderedSerializer,
    RenderSerializer,
)
from .base import READ, Noun, Restores, View, deletes, find, one, takes, visible


@extend_schema_view(retrieve=extend_schema(description="A prompt with its newest version."))
@noun("prompts", "prompt")
class Prompts(Restores, Noun):
    """Prompts of the project."""

    serializer_class: type[BaseSerializer[Any]] = PromptSerializer
    needs = {**View.needs, "render": READ}

    def get_queryset(self) -> QuerySet[Prompt, Any]:
        newest = PromptVersion.objects.filter(number=F("prompt__version"))
        in_force = PromptLabel.objects.filter(ended_at=None).select_related("version").order_by("name")
        live = Q(versions__runs__deleted_at=None, versions__runs__experiment__deleted_at=None)
        used_by = Count("versions__runs", filter=live, distinct=True)
        return (
            visible(Prompt, self.key)
            .annotate(used_by=used_by)
            .prefetch_related(
                Prefetch("versions", queryset=newest, to_attr="newest_versions"),
                Prefetch("labels", queryset=in_force, to_attr="labels_now"),
            )
        )

    def tag(self, prompt: Prompt) -> str:
        return etag(prompt.pk, prompt.name, prompt.version)

    def parts(self, body: dict[str, Any]) -> dict[str, Any]:
        """The sent parts of a version, with the connection as an object."""
        parts = {name: value for name, value in body.items() if name not in ("name", "note")}
        if parts.get("connection") is not None:
            parts["connection"] = find(visible(Connection, self.key), parts["connection"], "connection")
        return parts

    @takes(NewPromptSerializer, {201: PromptSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Create a prompt: a name and messages with variables. No server is called."""
        content = Content(**self.parts(body))
        return self.answer(
            prompts.create(self.project, self.person, body["name"], content, body["note"]), 201
        )

    @extend_schema(request=PromptChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the prompt. To change messages or settings, create a new version."""
        body = self.checked(PromptChangeSerializer)
        with transaction.atomic():
            prompt = self.locked(Prompt)
            owned.rename(prompt, body["name"])
        return self.answer(prompt)

    destroy = deletes(prompts.delete)

    @takes(DuplicateSerializer, {201: PromptSerializer}, of=one(Prompt))
    @action(methods=["post"], detail=True)
    def duplicate(self, prompt: Prompt, body: dict[str, Any]) -> Response:
        """Copy a version, by default the newest, as the first version of a new prompt."""
        version = prompts.version_of(prompt, body.get("version"))
        return self.answer(prompts.duplicate(version, self.person, body.get("name")), 201)

    @action(detail=True, serializer_class=PromptVersionSerializer, query=PageQuery, has_pages=True)
    def versions(self, request: Request, pk: int) -> Response:
        """Every version of a prompt, newest first."""
        prompt = find(visible(Prompt, self.key), pk)
        return self.page(pagination.by_field(prompt.versions.all(), "number"))

    @takes(NewVersionSerializer, {200: PromptVersionSerializer, 201: PromptVersionSerializer}, of=one(Prompt))
    @versions.mapping.post
    def add_version(self, prompt: Prompt, body: dict[str, Any]) -> Response:
        """Save the next version. If nothing has changed, the newest version is returned with 200."""
        version, is_new = prompts.add_version(prompt, self.person, self.parts(body), body["note"])
        return Response(self.get_serializer(version).data, 201 if is_new else 200)

    @action(detail=True, serializer_class=PromptDifferencesSerializer, query=DiffQuery)
    def diff(self, request: Request, pk: int) -> Response:
        """How two versions of a prompt differ."""
        prompt = find(visible(Prompt, self.key), pk)
        old, new = (
            Content.from_version(prompts.version_of(prompt, self.params[name])) for name in ("from", "to")
        )
        return Response(self.get_serializer(versions.differences(old, new)).data)

    @extend_schema(request=RenderSerializer, responses=RenderedSerializer)
    @action(methods=["post"], detail=True, serializer_class=RenderedSerializer)
    def render(self, request: Request, pk: int) -> Response:
        """The messages with the values of the given examples. No server is called, and nothing is stored."""
        body = self.checked(RenderSerializer)
        version = prompts.version_of(find(visible(Prompt, self.key), pk), body.get("version"))
        dataset = find(visible(Dataset, self.key), body["dataset"], "dataset")
        results = rendering.render(version.messages, dataset, body["positions"])
        return Response(self.get_serializer({"version": version.number, "results": results}).data)
