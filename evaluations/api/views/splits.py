"""Splits of a dataset: list, create, change, delete, restore."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.datasets import splits
from evaluations.models import Dataset, Split

from ..refusals import NotFound
from ..routes import noun, route
from ..serializers.split import (
    NewSplitSerializer,
    SplitChangeSerializer,
    SplitSerializer,
    SplitsQuery,
    VersionQuery,
    rule_of,
)
from .base import Listing, Restores, Single, deletes, takes, visible
from .datasets import OfDataset


def version_of(dataset: Dataset, params: dict[str, Any]) -> int:
    """The version in the query, else the newest."""
    version: int = params.get("version", dataset.version)
    if version > dataset.version:
        raise NotFound(f"version {version}", "version")
    return version


@route("datasets/<id:pk>/splits/", "dataset-splits")
class DatasetSplits(OfDataset, Listing):
    """The splits of a dataset, newest first, with the number of examples in a version."""

    serializer_class = SplitSerializer
    query = SplitsQuery

    def get_queryset(self) -> QuerySet[Any]:
        return splits.live(self.dataset()).select_related("dataset")

    def get_serializer_context(self) -> dict[str, Any]:
        version = version_of(self.dataset(), self.params) if self.request.method == "GET" else None
        return {**super().get_serializer_context(), "version": version}

    @takes(NewSplitSerializer, {201: SplitSerializer}, of=OfDataset.dataset)
    def post(self, dataset: Dataset, body: dict[str, Any]) -> Response:
        """Create a split: by metadata, by a random share, or by hand."""
        rule = rule_of(body) or splits.Rule()
        split = splits.create(dataset, self.person, body["name"], rule, body["group"])
        return Response(self.get_serializer(split).data, 201)


@noun("splits", "split")
class Splits(Restores, Single):
    """A split, with the number of its examples in a version, by default the newest."""

    serializer_class = SplitSerializer
    query = VersionQuery

    def get_queryset(self) -> QuerySet[Split]:
        live = visible(Split, self.key).filter(dataset__deleted_at=None)
        return live.select_related("dataset", "project")

    def item(self, split: Split, status: int = 200) -> Response:
        version = version_of(split.dataset, self.params)
        context = {**self.get_serializer_context(), "version": version}
        return Response(SplitSerializer(split, context=context).data, status)

    @extend_schema(request=SplitChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Rename the split, move it to another group, or change its rule."""
        split, body = self.get_object(), self.checked(SplitChangeSerializer)
        changed = splits.change(split, name=body.get("name"), group=body.get("group"), rule=rule_of(body))
        return self.item(changed)

    destroy = deletes(splits.delete, "Delete it; {undo}. Existing runs keep their examples.")

    def restorable(self) -> QuerySet[Any]:
        return super().restorable().filter(dataset__deleted_at=None)

    def restored(self, split: Split) -> Split:
        return splits.restore(split)
