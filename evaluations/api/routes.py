"""The addresses of the API. A view names its own by `@route`; tests and the permissions table know it by its name."""

from collections.abc import Callable
from typing import TypeVar

from django.urls import URLPattern, path, register_converter
from rest_framework.views import APIView

from .fields import LARGEST_ID

V1: list[URLPattern] = []
SomeView = TypeVar("SomeView", bound=APIView)


class IdConverter:
    """Accepts ids that the database can hold; any other text matches no pattern."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        if int(value) > LARGEST_ID:
            raise ValueError
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")


def route(address: str, name: str) -> Callable[[type[SomeView]], type[SomeView]]:
    """Serve a view at an address below /api/v1/, under the name `api-` and this one."""

    def served(view: type[SomeView]) -> type[SomeView]:
        V1.append(path(address, view.as_view(), name=f"api-{name}"))
        return view

    return served
