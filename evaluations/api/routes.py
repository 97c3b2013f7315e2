"""The addresses of the API; tests and the permissions table know each by its name.

A noun is a viewset that `@noun` registers with REST framework's router: its list, one object, and its actions. What
has an address of its own below or beside a noun is a view that names it by `@route`.
"""

from collections.abc import Callable
from typing import TypeVar

from django.urls import URLPattern, path, register_converter
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSetMixin

from evaluations.values import LARGEST_ID

ROUTER = SimpleRouter(use_regex_path=False)
V1: list[URLPattern] = []
SomeView = TypeVar("SomeView", bound=APIView)
SomeNoun = TypeVar("SomeNoun", bound=ViewSetMixin)


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


def noun(prefix: str, name: str) -> Callable[[type[SomeNoun]], type[SomeNoun]]:
    """Serve a viewset below /api/v1/`prefix`/, under names that begin with `api-` and this one."""

    def served(view: type[SomeNoun]) -> type[SomeNoun]:
        ROUTER.register(prefix, view, basename=f"api-{name}")
        return view

    return served
