"""Base views of the API, a small framework over REST framework's GenericAPIView.

A view says which right each method `needs` and which serializer checks its `query`. `initial` refuses invalid
requests before a handler runs; a handler reads `params` (the checked query) and `checked(Body)`, and answers with
`shown`, or with `answer` after a change. `Collection` is a list in pages, `Item` one object by the id in its
address, `Restore` the undo of its deletion.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer

from evaluations import owned
from evaluations.access import makers, permissions
from evaluations.errors import Invalid
from evaluations.imports import choices
from evaluations.imports.uploads import uploads
from evaluations.models import ApiKey, Project, Upload
from evaluations.models.fields import name_key
from evaluations.models.owned import Owned, OwnedQuerySet

from .. import pagination, parsing
from ..authentication import key_of
from ..fields import LARGEST_ID
from ..idempotency import once
from ..json_body import refuse_characters
from ..permissions import Scoped
from ..preconditions import require_match
from ..refusals import NotFound
from ..schema import Schema
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

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with ExitStack() as self.resources:  # resources of reading a large body, released after the answer
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        parsing.check(request)
        self.params = self._checked_query(request)

    def _checked_query(self, request: Request) -> dict[str, Any]:
        refuse_characters({name: " ".join(values) for name, values in request.query_params.lists()})
        allowed = self.query if request.method in ("GET", "HEAD") else NoQuery
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


class Collection(View):
    """A list, newest first, in pages."""

    has_pages = True
    query = PageQuery

    def listed(self) -> QuerySet[Any]:
        return self.get_queryset()

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.page(pagination.by_field(self.listed(), "pk"))

    def page(self, fetch: pagination.Fetch) -> Response:
        return Response(pagination.page(self.request, self.params["page_size"], fetch, self.shown))

    def shown(self, rows: Sequence[Any]) -> list[Any]:
        return list(self.get_serializer(rows, many=True).data)


class NamedCollection(Collection):
    query = NamedQuery

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        queryset = self.listed()
        if "name" in self.params:
            queryset = queryset.filter(name_key=name_key(self.params["name"]))
        return self.page(pagination.by_field(queryset, "pk"))


class Item(View):
    """One object, by the id in its address."""

    def get_object(self) -> Any:
        return find(self.get_queryset(), self.kwargs["pk"])

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.shown(self.get_object())

    def shown(self, row: Any, status: int = 200) -> Response:
        return self.item(row, status)

    def locked(self, model: type[Thing]) -> Thing:
        """The object, locked until the transaction ends, unless it has changed since the ETag in If-Match."""
        row = find(visible(model, self.key).select_for_update(), self.kwargs["pk"])
        require_match(self.request, self.tag(row))
        return row


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
    def handler(view: Item, request: Request, pk: int) -> Response:
        target = view.get_object()
        delete(view.require_removal(target) if creators_only else target)
        return Response(status=204)

    return handler


def restores(serializer: type[BaseSerializer[Any]]) -> Any:
    """Document a `Restore` view, whose answer has this form."""
    description = f"Undo a delete within {owned.UNDO.days} days."
    return extend_schema_view(post=extend_schema(request=None, responses=serializer, description=description))


class Restore(View):
    """Undoes the deletion of an object; `restorable` are those that it may restore."""

    def restorable(self) -> QuerySet[Any]:
        model: type[Owned] = self.get_queryset().model
        return model.objects.visible_to(self.key)

    def permitted(self, target: Any) -> Any:
        """The object; raises `Forbidden` if the key may not restore it."""
        return self.require_removal(target)

    def restored(self, target: Any) -> Any:
        return owned.restore(target)

    def post(self, request: Request, pk: int) -> Response:
        self.nothing_given()
        target = self.permitted(find(self.restorable(), pk))
        return once(request, {}, lambda: self.answer(self.restored(target)))


class MakersItem(Item):
    """An object that its maker and administrators delete."""

    needs = {"GET": READ, "DELETE": READ}

    @extend_schema(responses={204: None}, description=f"Delete it; {WAY_BACK}.")
    def delete(self, request: Request, pk: int) -> Response:
        makers.delete(self.key, self.get_object())
        return Response(status=204)


class MakersRestore(Restore):
    """Restores such an object, under the same rule."""

    needs = {"POST": READ}

    def permitted(self, target: Any) -> Any:
        makers.require(self.key, target)
        return target
