"""The schema of a dataset: the JSON Schema of its columns."""

from dataclasses import asdict

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.datasets import schema_of
from evaluations.models import Dataset

from ..routes import route
from ..serializers.dataset_schema import DatasetSchemaSerializer, SchemaChangeSerializer, SchemaQuery
from .datasets import OfDataset


@route("datasets/<id:pk>/schema/", "dataset-schema")
class DatasetSchema(OfDataset):
    serializer_class = DatasetSchemaSerializer
    query = SchemaQuery

    def get(self, request: Request, pk: int) -> Response:
        """The schema, and how the first 1 000 examples fit it."""
        dataset = self.dataset()
        if self.params["suggested"]:
            dataset.schema = schema_of.suggest(dataset)
        return self._answer(dataset)

    @extend_schema(request=SchemaChangeSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Set the schema. New and edited examples must fit; existing ones stay."""
        dataset, body = self.dataset(), self.checked(SchemaChangeSerializer)
        return self._answer(schema_of.store(dataset, body["schema"]))

    def _answer(self, dataset: Dataset) -> Response:
        return Response(
            self.get_serializer({"schema": dataset.schema, **asdict(schema_of.fit(dataset))}).data
        )
