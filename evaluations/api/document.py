"""The OpenAPI document: built once in each process, because building and writing it take seconds."""

from functools import cache
from threading import Lock
from typing import Any, cast

from django.http import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from .preconditions import etag

_lock = Lock()
_written: dict[str, tuple[bytes, str]] = {}  # by media type


@cache
def built() -> dict[str, Any]:
    """The document as Python's objects, for callers who change nothing in it."""
    generator: Any = SchemaGenerator  # its methods have no types
    document: dict[str, Any] = generator().get_schema(request=None, public=True)
    return document


def written(renderer: BaseRenderer) -> tuple[bytes, str]:
    """The document in one of its forms, with its ETag."""
    with _lock:  # Several first callers at once would each build it.
        if renderer.media_type not in _written:
            text: bytes = cast(Any, renderer).render(built(), renderer_context={})
            _written[renderer.media_type] = text, etag(text.decode())
        return _written[renderer.media_type]


class Document(SpectacularAPIView):
    """Answers with the written document, or 304 to those who have it."""

    def _get_schema_response(self, request: Request) -> HttpResponseBase | None:
        renderer = request.accepted_renderer
        content, tag = written(renderer)
        answer = HttpResponse(content, content_type=f"{renderer.media_type}; charset=utf-8")
        answer["ETag"] = tag
        answer["Cache-Control"] = "private, no-cache"
        answer["Content-Disposition"] = f'inline; filename="Evalsite API.{renderer.format}"'
        return get_conditional_response(request._request, etag=tag, response=answer)
