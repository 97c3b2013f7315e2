"""Versions of a dataset: tags and comments, differences, and restoring one."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.datasets import differences, versions
from evaluations.imports import changes
from evaluations.models import DatasetVersion
from evaluations.values import LARGEST_POSITION

from .. import pagination
from ..idempotency import once
from ..refusals import NotFound
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.dataset import DatasetVersionSerializer
from ..serializers.dataset_import import StartedSerializer
from ..serializers.dataset_version import DiffQuery, DiffSerializer, VersionChangeSerializer
from .datasets import OfDataset


class OfVersion(OfDataset):
    def version(self, number: int) -> DatasetVersion:
        if number > LARGEST_POSITION:
            raise NotFound(f"version {number}")
        return versions.version_of(self.dataset(), number)


@route("datasets/<id:pk>/versions/<id:number>/", "dataset-version")
class DatasetVersionDetail(OfVersion):
    serializer_class = DatasetVersionSerializer

    def get(self, request: Request, pk: int, number: int) -> Response:
        """One version of a dataset."""
        return Response(self.get_serializer(self.version(number)).data)

    @extend_schema(request=VersionChangeSerializer)
    def patch(self, request: Request, pk: int, number: int) -> Response:
        """Set the `tag` (unique in the dataset) or the `comment` of a version. An empty text removes it."""
        version, body = self.version(number), self.checked(VersionChangeSerializer)
        return Response(self.get_serializer(versions.describe(version, **body)).data)


@route("datasets/<id:pk>/versions/<id:number>/restore/", "dataset-version-restore")
class DatasetVersionRestore(OfVersion):
    @extend_schema(request=None, responses={202: StartedSerializer}, parameters=[IDEMPOTENCY_KEY])
    def post(self, request: Request, pk: int, number: int) -> Response:
        """Create a new version that equals this one; examples keep their identity. 409 during an import."""
        self.nothing_given()
        version = self.version(number)

        def begin() -> Response:
            change = changes.restore(version.dataset, version.number, self.person)
            return Response(StartedSerializer(change).data, 202)

        return once(request, {}, begin)


@route("datasets/<id:pk>/diff/", "dataset-diff")
class DatasetDiff(OfVersion):
    serializer_class = DiffSerializer
    query = DiffQuery

    def get(self, request: Request, pk: int) -> Response:
        """How two versions differ: the counts, and pages of the changed, added and removed examples."""
        dataset = self.dataset()
        target = self.version(self.params.get("to", dataset.version)).number
        source = self.version(self.params.get("from", max(1, target - 1))).number
        every = differences.between(dataset, source, target)
        chosen = [entry for entry in every if entry.kind == self.params.get("change", entry.kind)]
        rows = self.paginate_queryset(pagination.by_index(chosen))
        page = self.get_paginated_response(differences.described(dataset, rows)).data
        return Response(differences.counts(every) | {"from": source, "to": target} | page)
