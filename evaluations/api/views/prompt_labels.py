"""Prompts in use: labels on versions, prompts by name, as files and as code."""

from typing import Any
from urllib.parse import quote

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.deployments import code, files, labels
from evaluations.errors import NotFound
from evaluations.models import Prompt, PromptLabel, PromptVersion
from evaluations.prompts import prompts

from ..idempotency import once
from ..parsing import UploadParser
from ..preconditions import etag
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.prompt_label import (
    ByNameQuery,
    ImportedPromptSerializer,
    LabelledSerializer,
    LabelSerializer,
    PromptByNameSerializer,
    PromptFileSerializer,
    VersionQuery,
)
from ..throttling import PromptsPerKey
from .base import READ, WRITE, Listing, View, find, visible
from .results import AnyAccept

IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="The ETag of the answer that you have; 304 if it is still valid.",
)


@route("prompts/by-name/<path:name>/", "prompt-by-name")
class PromptByName(View):
    """The version of a prompt that a program sends."""

    serializer_class = PromptByNameSerializer
    throttle_classes = [PromptsPerKey]
    query = ByNameQuery

    @extend_schema(parameters=[IF_NONE_MATCH], responses={200: PromptByNameSerializer, 304: None})
    def get(self, request: Request, name: str) -> HttpResponseBase:
        """The version with a label, by default `production`, of the prompt with this name. Keep the answer with its
        ETag: while nothing has moved, the next one is 304."""
        found = labels.by_name(self.project, name, self.params["label"], self.params.get("version"))
        shown = self.get_serializer(found).data
        tag = etag(shown)
        answer = Response(shown, headers={"ETag": tag, "Cache-Control": "private, no-cache"})
        return get_conditional_response(request._request, etag=tag, response=answer) or answer


class PromptView(View):
    def prompt(self) -> Prompt:
        found: Prompt = find(visible(Prompt, self.key).select_related("project"), self.kwargs["pk"])
        return found

    def version(self) -> PromptVersion:
        return prompts.version_of(self.prompt(), self.params.get("version"))


@route("prompts/<id:pk>/labels/", "prompt-labels")
class PromptLabels(PromptView, Listing):
    """Every label that a version of the prompt has or had, newest first."""

    serializer_class = LabelSerializer

    def get_queryset(self) -> QuerySet[PromptLabel]:
        return labels.history(self.prompt())


@route("prompts/<id:pk>/labels/<str:label>/", "prompt-label")
class PromptLabelDetail(PromptView):
    """One label of a prompt."""

    serializer_class = LabelSerializer
    needs = {"GET": READ, "PUT": WRITE, "DELETE": WRITE}

    def get(self, request: Request, pk: int, label: str) -> Response:
        """The version that has the label now."""
        current = labels.history(self.prompt()).filter(name=label, ended_at=None).first()
        if current is None:
            raise NotFound("unknown_label", f"No version of this prompt has the label “{label[:80]}”.")
        return Response(self.get_serializer(current).data)

    @extend_schema(request=LabelledSerializer, responses={200: LabelSerializer, 201: LabelSerializer})
    def put(self, request: Request, pk: int, label: str) -> Response:
        """Put the label on a version, and take it from the one that had it. A protected label needs the scope `admin`.
        To undo it, put the label back."""
        body = self.checked(LabelledSerializer)
        moved, is_new = labels.move(self.prompt(), self.key, label, body["version"])
        return Response(self.get_serializer(moved).data, 201 if is_new else 200)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, label: str) -> Response:
        """Take the label away; programs that ask for it get 404. To undo it, put the label back."""
        labels.take_away(self.prompt(), self.key, label)
        return Response(status=204)


@route("prompts/<id:pk>/export/", "prompt-export")
class PromptExport(PromptView):
    content_negotiation_class = AnyAccept
    query = VersionQuery

    @extend_schema(responses={(200, files.KIND): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """A version as a file in YAML, for version control."""
        version = self.version()
        return download(files.written(version), files.KIND, f"{version.prompt.name}.yaml")


@route("prompts/<id:pk>/code/", "prompt-code")
class PromptCode(PromptView):
    content_negotiation_class = AnyAccept
    query = VersionQuery

    @extend_schema(responses={(200, "text/x-python"): OpenApiTypes.BINARY})
    def get(self, request: Request, pk: int) -> HttpResponse:
        """A version as Python that calls the `openai` package."""
        version = self.version()
        return download(code.python(version).encode(), "text/x-python; charset=utf-8", "prompt.py")


def download(content: bytes, kind: str, name: str) -> HttpResponse:
    """A file to be saved under this name."""
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type=kind, headers=headers)


@route("prompts/import/", "prompt-import")
class PromptImport(View):
    serializer_class = ImportedPromptSerializer
    needs = {"POST": WRITE}
    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": PromptFileSerializer},
        responses={200: ImportedPromptSerializer, 201: ImportedPromptSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request) -> Response:
        """Create the prompt in a file, or add a version to the prompt of its name. If nothing differs, the answer is
        200 with the newest version."""
        content = self.checked(PromptFileSerializer)["file"].read(files.LARGEST + 1)
        return once(request, {"file": content.decode("utf-8", "replace")}, lambda: self._stored(content))

    def _stored(self, content: bytes) -> Response:
        version, is_new = files.store(self.project, self.person, content)
        answer: dict[str, Any] = self.get_serializer(version).data
        return Response(answer, 201 if is_new else 200)
