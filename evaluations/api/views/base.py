"""Base views of the API: REST framework's generic views and viewsets, with the checks that all of them share.

A view says which right each method `needs` and which serializer checks its `query`. `initial` refuses invalid
requests before a handler runs; a handler reads `params` (the checked query) and `checked(Body)`, or `takes` a body, and
answers with `item`, or with `answer` after a change. `Noun` is a viewset (a list in pages, one object by its id, its
actions), `Restores` adds the undo of its deletion. `Listing` is a list below a noun.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.viewsets import ViewSetMixin

from evaluations import owned
from evaluations.access import makers, permissions
from evaluations.errors import Invalid
from evaluations.imports import choices
from evaluations.imports.uploads import uploads
from evaluations.models import ApiKey, Project, Upload
from evaluations.models.fields import name_key
from evaluations.models.owned import Owned, OwnedQuerySet
from evaluations.values import LARGEST_ID

from .. import idempotency, pagination, parsing
from ..authentication import key_of
from ..idempotency import once
from ..json_body import refuse_characters
from ..parsing import JSONParser, UploadParser
from ..permissions import Scoped
from ..preconditions import require_match
from ..refusals import NotFound
from ..schema import IDEMPOTENCY_KEY, Schema
from ..serializers import reading
from ..serializers.page import NamedQuery, NoQuery, PageQuery

Row = TypeVar("Row", bound=Model)
Thing = TypeVar("Thing", bound=Owned)
READ, RUN, WRITE, CONNECT, ADMIN, RATE = permissions.ACTIONS
WAY_BACK = f"`restore/` undoes that for {owned.UNDO.days} days"


class View(GenericAPIView[Any]):
    """`needs` names the right for each method; `query` checks the query string of a GET."""

    permission_classes = [Scoped]
    schema = Schema()
    needs = {"GET": READ, "POST": WRITE, "PATCH": WRITE, "DELETE": WRITE}
    query: type[NoQuery] = NoQuery
    has_pages = False

    def get_query(self) -> type[NoQuery]:
        """The serializer of the query string of a GET."""
        return self.query

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with ExitStack() as self.resources:  # resources of reading a large body, released after the answer
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        parsing.check(request)
        idempotency.check(request)
        self.params = self._checked_query(request)

    def _checked_query(self, request: Request) -> dict[str, Any]:
        refuse_characters({name: " ".join(values) for name, values in request.query_params.lists()})
        allowed = self.get_query() if request.method in ("GET", "HEAD") else NoQuery
        query = allowed.from_params(request.query_params)
        query.is_valid(raise_exception=True)
        params: dict[str, Any] = query.validated_data
        return params

    @property
    def key(self) -> ApiKey:
        return key_of(self.request)

    @property
    def project(self) -> Project:
        return self.key.project

    @property
    def person(self) -> User | None:
        return permissions.person(self.key)

    def checked(self, body: type[Serializer[Any]]) -> dict[str, Any]:
        """The body, checked by a serializer."""
        content = self.request.data
        serializer = body(data=content)
        if not content and any(field.required for field in serializer.fields.values()):
            raise Invalid("object_expected", "The body has no fields; send them as a JSON object.")
        serializer.is_valid(raise_exception=True)
        values: dict[str, Any] = serializer.validated_data
        return values

    def get_object(self) -> Any:
        return find(self.get_queryset(), self.kwargs["pk"])

    def paginate_queryset(self, queryset: Any) -> Any:
        """The rows of a page of a queryset, newest first, or of a `pagination.Fetch`."""
        return super().paginate_queryset(queryset)

    def page(self, rows: QuerySet[Any] | pagination.Fetch) -> Response:
        found = self.get_serializer(self.paginate_queryset(rows), many=True)
        return self.get_paginated_response(found.data)

    def locked(self, model: type[Thing]) -> Thing:
        """The object, locked until the transaction ends, unless it has changed since the ETag in If-Match."""
        row = find(visible(model, self.key).select_for_update(), self.kwargs["pk"])
        require_match(self.request, self.tag(row))
        return row

    def tag(self, row: Any) -> str | None:
        """The ETag of an object, if it has one."""

    def item(self, row: Any, status: int = 200) -> Response:
        tag = self.tag(row)
        return Response(self.get_serializer(row).data, status, headers={"ETag": tag} if tag else {})

    def answer(self, row: Any, status: int = 200) -> Response:
        """The object as it is stored now, after a change."""
        return self.item(find(self.get_queryset(), row.pk), status)

    def require_removal(self, target: Thing) -> Thing:
        """The object; raises `Forbidden` if the key may not delete and restore it."""
        permissions.require_removal(self.key, target)
        return target

    def nothing_given(self) -> None:
        """Refuse any body except an empty one or an empty object."""
        if self.request.data:
            NoBody(data=self.request.data).is_valid(raise_exception=True)

    @contextmanager
    def parked(self, body: dict[str, Any], *, tools: bool = False) -> Iterator[Upload]:
        """The sent file in the storage; it is removed at the end unless an import took it over.

        With options that say how to read it, it is a table.
        """
        how, options = reading.how_of(body), reading.format_of(body)
        is_table = bool(options or how.long or how.decimal)
        with (
            choices.asking(how),
            uploads.parked(
                self.project, self.person, body["file"], tools=tools and not is_table, choices=options
            ) as upload,
        ):
            yield upload


class NoBody(NoQuery):
    unknown = "unknown_field"


def visible(model: type[Thing], key: ApiKey) -> OwnedQuerySet[Thing]:
    """The objects of a model that this key may see, without deleted ones."""
    return model.objects.visible_to(key).live()


def find(queryset: QuerySet[Row], pk: int, field: str = "") -> Row:
    """The object with this id; `NotFound` if it is hidden or does not exist."""
    row = queryset.filter(pk=pk).first() if 0 < pk <= LARGEST_ID else None
    if row is None:
        raise NotFound(f"{queryset.model._meta.verbose_name} {pk}" if field else "", field)
    return row


def find_all(queryset: QuerySet[Row], pks: Iterable[int], field: str) -> list[Row]:
    """The objects with these ids, in their order, each once."""
    distinct = list(dict.fromkeys(pks))
    by_id = queryset.in_bulk([pk for pk in distinct if 0 < pk <= LARGEST_ID])
    for pk in distinct:
        if pk not in by_id:
            raise NotFound(f"{queryset.model._meta.verbose_name} {pk}", field)
    return [by_id[pk] for pk in distinct]


class Listing(ListModelMixin, View):
    """A list in pages, newest first."""

    has_pages = True
    query = PageQuery

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class Single(ViewSetMixin, View):
    """Objects of one kind, each by its id."""

    lookup_value_converter = "id"
    creates_from_files = False

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        if self.creates_from_files and self.action_map.get((request.method or "").lower()) == "create":
            self.parser_classes = [JSONParser, UploadParser]
        return super().initialize_request(request, *args, **kwargs)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.item(self.get_object())


class Noun(ListModelMixin, Single):
    """Objects of one kind: also as a list in pages, by default also by name."""

    list_query: type[PageQuery] = NamedQuery

    def get_query(self) -> type[NoQuery]:
        return self.list_query if self.action == "list" else self.query

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = self.params.get("name")
        return queryset if name is None else queryset.filter(name_key=name_key(name))


def one(model: type[Thing]) -> Callable[[View], Thing]:
    """Finds the object of this model in the address."""
    return lambda view: find(visible(model, view.key), view.kwargs["pk"])


def takes(
    body: type[Serializer[Any]], answers: Any, of: Callable[[Any], Any] | None = None
) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """A handler that gets the checked body, after what `of` finds in the address, and works once for a key."""

    def taking(work: Callable[..., Response]) -> Callable[..., Response]:
        @extend_schema(request=body, responses=answers, parameters=[IDEMPOTENCY_KEY])
        @wraps(work)
        def handler(view: View, request: Request, **address: Any) -> Response:
            found = [of(view)] if of else []
            return once(request, request.data, partial(work, view, *found, view.checked(body)))

        return handler

    return taking


def deletes(
    delete: Callable[[Any], object],
    description: str = "Delete it; {undo}.",
    *,
    creators_only: bool = True,
) -> Any:
    """A handler of DELETE; `creators_only`: other people and keys need an administrator's rights.

    `{undo}` in the description stands for the way back and its days.
    """

    @extend_schema(responses={204: None}, description=description.format(undo=WAY_BACK))
    def handler(view: View, request: Request, pk: int) -> Response:
        target = view.get_object()
        delete(view.require_removal(target) if creators_only else target)
        return Response(status=204)

    return handler


class Restores(View):
    """A noun whose deletion can be undone; `restorable` are those that it may restore."""

    def restorable(self) -> QuerySet[Any]:
        model: type[Owned] = self.get_queryset().model
        return model.objects.visible_to(self.key)

    def permitted(self, target: Any) -> Any:
        """The object; raises `Forbidden` if the key may not restore it."""
        return self.require_removal(target)

    def restored(self, target: Any) -> Any:
        return owned.restore(target)

    @extend_schema(request=None, description=f"Undo a delete within {owned.UNDO.days} days.")
    @action(methods=["post"], detail=True)
    def restore(self, request: Request, pk: int) -> Response:
        self.nothing_given()
        target = self.permitted(find(self.restorable(), pk))
        return once(request, {}, lambda: self.answer(self.restored(target)))


class RestoredByMakers(Restores):
    """Objects that their makers and administrators delete and restore."""

    needs = {"GET": READ, "POST": READ, "DELETE": READ}

    @extend_schema(responses={204: None}, description=f"Delete it; {WAY_BACK}.")
    def destroy(self, request: Request, pk: int) -> Response:
        makers.delete(self.key, self.get_object())
        return Response(status=204)

    def permitted(self, target: Any) -> Any:
        makers.require(self.key, target)
        return target
