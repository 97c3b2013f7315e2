"""Datasets and their examples: list, upload, add, edit, delete, restore."""

from functools import partial
from typing import Any

import numpy as np
import orjson
from django.db import transaction
from django.db.models import Min, Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from evaluations import keyset, owned
from evaluations.datasets import datasets, live_positions, metadata, selections, splits
from evaluations.datasets.live_positions import Positions
from evaluations.datasets.repeated import Duplicates
from evaluations.errors import Invalid
from evaluations.imports import imports, retries, tools
from evaluations.keyset import Slice
from evaluations.models import Dataset, Example, Split
from evaluations.models.dataset import ExampleQuerySet
from evaluations.results import filter_params, searching
from evaluations.results.searching import Stretch
from evaluations.scoring import counted
from evaluations.statistics.ordering import Cursor
from evaluations.values import LARGEST_POSITION, PARTS

from .. import json_body, pagination
from ..idempotency import once
from ..parsing import JSONParser, UploadParser
from ..preconditions import etag
from ..refusals import NotFound
from ..routes import noun, route
from ..schema import IDEMPOTENCY_KEY, IF_MATCH
from ..serializers.dataset import (
    AppendSerializer,
    AppendUploadSerializer,
    DatasetChangeSerializer,
    DatasetSerializer,
    DatasetUploadSerializer,
    DatasetVersionSerializer,
    ExampleChangeSerializer,
    ExampleSerializer,
    NewDatasetSerializer,
    RetrySerializer,
)
from ..serializers.page import DatasetsQuery, ExamplesQuery
from ..serializers.reading import how_of
from .base import Listing, Noun, Restores, View, deletes, find, visible
from .mappings import mapping_of


def with_experiment(queryset: QuerySet[Dataset]) -> QuerySet[Dataset]:
    live = Q(experiments__deleted_at=None)
    return queryset.annotate(first_experiment=Min("experiments", filter=live))


def split_of(dataset: Dataset, body: dict[str, Any]) -> Split | None:
    """The split with this name or id; raises `NotFound` if the dataset has none."""
    return splits.chosen(dataset, body.get("split") or "")


def schema_in(body: dict[str, Any]) -> dict[str, Any]:
    """The schema in a form: JSON in a text field; empty if it is missing."""
    return json_body.object_in(body.get("schema", "{}"), "schema")


class DatasetView(View):
    serializer_class = DatasetSerializer

    def get_queryset(self) -> QuerySet[Dataset]:
        return with_experiment(visible(Dataset, self.key))

    def tag(self, dataset: Dataset) -> str:
        return etag(dataset.pk, dataset.name, dataset.version, dataset.status)

    def start_import(self, body: type, begin: Any, *, of_tools: bool = False) -> Response:
        """Import the sent file with `begin(upload, values, mapping)`; with `of_tools` also exports of other tools."""
        values = self.checked(body)
        mapping = mapping_of(self.project, values)
        is_table = mapping is not None or "schema" in values
        with self.parked(values, tools=of_tools and not is_table) as upload:
            identity = values | {"file": upload.sha256}
            return once(self.request, identity, lambda: self.answer(begin(upload, values, mapping), 202))


@extend_schema_view(
    retrieve=extend_schema(
        description="A dataset with its columns, its version and the problems of its last import."
    )
)
@noun("datasets", "dataset")
class Datasets(Restores, Noun, DatasetView):
    """Datasets that are ready, or of another `status`."""

    list_query = DatasetsQuery
    creates_from_files = True

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        named, status = super().filter_queryset(queryset), self.params["status"]
        return named if status == "any" else named.filter(status=status)

    @extend_schema(
        request={"application/json": NewDatasetSerializer, "multipart/form-data": DatasetUploadSerializer},
        responses={201: DatasetSerializer, 202: DatasetSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def create(self, request: Request) -> Response:
        """Create a dataset from JSON (201), or from a table or another tool's export that a worker imports (202)."""
        if is_form(request):
            return self.start_import(DatasetUploadSerializer, self._begin, of_tools=True)
        return once(request, request.data, partial(self._create, self.checked(NewDatasetSerializer)))

    def _create(self, body: dict[str, Any]) -> Response:
        return self.answer(datasets.create(self.project, self.person, **body), 201)

    def _begin(self, upload: Any, body: dict[str, Any], mapping: Any) -> Dataset:
        if tools.tool_of(upload):
            require_kept(body["duplicates"])
            return tools.begin(upload, body["name"], user=self.person)
        options = {name: body[name] for name in ("on_error", "duplicates")}
        options |= {"user": self.person, "schema": schema_in(body), "how": how_of(body)}
        return imports.begin(upload, body["name"], mapping, **options)

    @extend_schema(request=DatasetChangeSerializer, parameters=[IF_MATCH])
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the dataset, or declare how many comparisons are made on it at most."""
        body = self.checked(DatasetChangeSerializer)
        with transaction.atomic():
            dataset = self.locked(Dataset)
            if "most_comparisons" in body:
                counted.declare(dataset, body["most_comparisons"])
            if "name" in body:
                owned.rename(dataset, body["name"])
        return self.item(self.get_object())

    destroy = deletes(datasets.delete, "Delete it with its experiments; {undo}.")

    @extend_schema(request=RetrySerializer, responses={202: DatasetSerializer}, parameters=[IDEMPOTENCY_KEY])
    @action(methods=["post"], detail=True)
    def retry(self, request: Request, pk: int) -> Response:
        """Import the file of a failed import again, by default without the rows that cannot be imported."""
        dataset, body = self.get_object(), self.checked(RetrySerializer)
        retry = partial(retries.retry, dataset, self.person, body["on_error"])
        return once(request, body, lambda: self.answer(retry(), 202))


def require_kept(duplicates: str) -> None:
    """Raise `Invalid` unless duplicates are kept, as exports of other tools require."""
    if duplicates != Duplicates.KEEP:
        message = (
            "An export of another tool is imported with all its examples. Send a mapping to read the file "
            "as a table."
        )
        raise Invalid("invalid_choice", message, fields={"duplicates": [message]})


def is_form(request: Request) -> bool:
    return (request.content_type or "").startswith("multipart/")


class OfDataset(View):
    """Base of the views of one dataset."""

    def dataset(self) -> Dataset:
        return find(visible(Dataset, self.key), self.kwargs["pk"])


@route("datasets/<id:pk>/versions/", "dataset-versions")
class DatasetVersions(OfDataset, Listing):
    """The versions of a dataset, newest first."""

    serializer_class = DatasetVersionSerializer

    def get(self, request: Request, pk: int) -> Response:
        return self.page(pagination.by_field(self.dataset().versions.all(), "number"))


@route("datasets/<id:pk>/examples/", "example-list")
class Examples(OfDataset, DatasetView, Listing):
    """The examples of a version, by default the newest, in the order of the file."""

    query = ExamplesQuery
    pagination_class = pagination.SearchedPages
    parser_classes = [JSONParser, UploadParser]

    def get_serializer_class(self) -> type[BaseSerializer[Any]]:
        return ExampleSerializer if self.request.method == "GET" else DatasetSerializer

    def get(self, request: Request, pk: int) -> Response:
        dataset = self.dataset()
        version = self.params.get("version", dataset.version)
        if version > dataset.version:
            raise NotFound(f"version {version}", "version")
        pairs = filter_params.parse(self.params["filters"], ()).metadata
        metadata.require_columns(dataset, pairs)
        split = split_of(dataset, self.params)
        examples = selections.matching(dataset, version, self.params.get("search", ""), split, pairs)
        rows = self.paginate_queryset(self._pages(dataset, version, examples))
        return self.get_paginated_response([as_json(row) for row in rows])

    def _pages(self, dataset: Dataset, version: int, examples: ExampleQuerySet) -> pagination.Fetch:
        if not self.params.get("search"):
            return pagination.by_field(examples, "position", newest_first=False)
        positions = live_positions.of_version(dataset, version)

        def fetch(searched: Stretch | None, size: int, after: Cursor | None, before: Cursor | None) -> Slice:
            rows = searching.examples_of(examples, positions, searched) if searched else examples
            start, end = _position(positions, after), _position(positions, before)
            part = keyset.page(rows, "position", size, after=start, before=end)
            is_last = before is not None and before.index == len(positions)
            return Slice(
                part.rows,
                _cursor(positions, part.before),
                None if is_last else _cursor(positions, part.after),
            )

        return pagination.by_stretch(len(positions), fetch)

    @extend_schema(
        request={"application/json": AppendSerializer, "multipart/form-data": AppendUploadSerializer},
        responses={201: DatasetSerializer, 202: DatasetSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add examples in a new version, as JSON (201) or as a file that a worker reads (202)."""
        dataset = self.dataset()
        if is_form(request):
            return self.start_import(AppendUploadSerializer, partial(self._begin, dataset))
        return once(request, request.data, partial(self._append, dataset, self.checked(AppendSerializer)))

    def _append(self, dataset: Dataset, body: dict[str, Any]) -> Response:
        return self.answer(datasets.append(dataset, self.person, body["examples"]), 201)

    def _begin(self, dataset: Dataset, upload: Any, body: dict[str, Any], mapping: Any) -> Dataset:
        return imports.begin_append(upload, dataset, mapping, on_error=body["on_error"], how=how_of(body))


def _position(positions: Positions, cursor: Cursor | None) -> int | None:
    """The position of the slot in a cursor; that behind the last slot is behind all."""
    if cursor is None:
        return None
    if cursor.index >= len(positions):
        return positions.last + 1
    return int(positions.at(np.array([cursor.index]))[0])


def _cursor(positions: Positions, position: int | None) -> Cursor | None:
    slot = None if position is None else positions.slot(position)
    return None if slot is None else Cursor(None, slot)


def as_json(example: Example) -> dict[str, Any]:
    parts = {part: orjson.loads(getattr(example, part)) for part in PARTS}
    return {"position": example.position, "key": example.key, **parts}


@route("datasets/<id:pk>/examples/<id:position>/", "example-detail")
class ExampleDetail(OfDataset, View):
    """One example of the newest version."""

    serializer_class = ExampleSerializer

    def example(self, dataset: Dataset) -> Example:
        position = self.kwargs["position"]
        example = datasets.example_of(dataset, position).first() if position <= LARGEST_POSITION else None
        if example is None:
            raise NotFound()
        return example

    def get(self, request: Request, pk: int, position: int) -> Response:
        return Response(as_json(self.example(self.dataset())))

    @extend_schema(request=ExampleChangeSerializer)
    def patch(self, request: Request, pk: int, position: int) -> Response:
        """Replace parts of an example. In the new version it has a new position and the same key.

        Changing an old position is refused with 409.
        """
        body, dataset = self.checked(ExampleChangeSerializer), self.dataset()
        if position > LARGEST_POSITION or not dataset.examples.filter(position=position).exists():
            raise NotFound()
        return Response(as_json(datasets.edit(dataset, self.person, position, body)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, position: int) -> Response:
        """Remove the example in a new version."""
        dataset = self.dataset()
        self.example(dataset)
        datasets.remove(dataset, self.person, position)
        return Response(status=204)


@route("datasets/<id:pk>/examples/<id:position>/restore/", "example-restore")
class ExampleRestore(OfDataset, View):
    serializer_class = ExampleSerializer

    @extend_schema(request=None)
    def post(self, request: Request, pk: int, position: int) -> Response:
        """Undo the removal of an example. In the new version it has a new position."""
        self.nothing_given()
        dataset = self.dataset()
        if position > LARGEST_POSITION or not dataset.examples.filter(position=position).exists():
            raise NotFound()
        return once(
            request, {}, lambda: Response(as_json(datasets.put_back(dataset, self.person, position)), 201)
        )
