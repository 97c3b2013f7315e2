"""Imports of whole files into an existing dataset: append, merge, mirror, and the result."""

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.imports import changes, refused_rows
from evaluations.imports.rows.refusals import AT_MOST_REFUSED
from evaluations.models import DatasetImport
from evaluations.numerals import grouped

from ..idempotency import once
from ..parsing import UploadParser
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.dataset_import import ChangeUploadSerializer, DatasetImportSerializer, StartedSerializer
from ..serializers.reading import how_of
from ..serializers.result import RefusedQuery
from .base import Listing, find
from .datasets import OfDataset
from .mappings import mapping_of
from .results import REFUSED, Export


class OfChange(OfDataset):
    def changes(self) -> QuerySet[DatasetImport]:
        return DatasetImport.objects.filter(dataset=self.dataset())

    def change(self) -> DatasetImport:
        return find(self.changes(), self.kwargs["change"])


@route("datasets/<id:pk>/upload/", "dataset-upload")
class DatasetUpload(OfDataset):
    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": ChangeUploadSerializer},
        responses={202: StartedSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Append a file to the dataset, merge it by key, or make the dataset equal to it. If anything changes, this
        creates a new version. 409 while another file is being read into the dataset.
        """
        dataset, body = self.dataset(), self.checked(ChangeUploadSerializer)
        mapping = mapping_of(self.project, body)
        options = {name: body[name] for name in ("dry_run", "on_error", "duplicates")}
        with self.parked(body) as upload:
            identity = body | {"file": upload.sha256}

            def begin() -> Response:
                change = changes.begin(
                    upload, dataset, body["mode"], mapping, **options, user=self.person, how=how_of(body)
                )
                return Response(StartedSerializer(change).data, 202)

            return once(request, identity, begin)


@route("datasets/<id:pk>/imports/", "dataset-imports")
class DatasetImports(OfChange, Listing):
    """Imports into the dataset after its first file, and dry runs of the last 7 days."""

    serializer_class = DatasetImportSerializer

    def get_queryset(self) -> QuerySet[DatasetImport]:
        return self.changes()


@route("datasets/<id:pk>/imports/<id:change>/", "dataset-import")
class DatasetImportDetail(OfChange):
    serializer_class = DatasetImportSerializer

    def get(self, request: Request, pk: int, change: int) -> Response:
        """The progress of an import or dry run; when it has ended, also the changes."""
        return Response(self.get_serializer(self.change()).data)


@route("datasets/<id:pk>/imports/<id:change>/apply/", "dataset-import-apply")
class DatasetImportApply(OfChange):
    @extend_schema(request=None, responses={202: StartedSerializer}, parameters=[IDEMPOTENCY_KEY])
    def post(self, request: Request, pk: int, change: int) -> Response:
        """Import the file of a dry run as previewed; 409 if the dataset has changed, or after an hour."""
        self.nothing_given()
        tried = self.change()

        def begin() -> Response:
            return Response(StartedSerializer(changes.apply(tried, self.person)).data, 202)

        return once(request, {}, begin)


@route("datasets/<id:pk>/imports/<id:change>/refused/", "dataset-import-refused")
class DatasetImportRefused(OfChange, Export):
    query = RefusedQuery

    @extend_schema(
        responses=REFUSED,
        description=f"The rows that an import left out, up to {grouped(AT_MOST_REFUSED)}: "
        "line, code, message and content.",
    )
    def get(self, request: Request, pk: int, change: int) -> StreamingHttpResponse:
        rows = self.change().refused_rows.all()
        content = refused_rows.as_file(rows, self.params["format"], safe=self.params["safe"])
        return self.file(f"{self.dataset().name} refused", content)
