"""Previews of files before they are imported; nothing is stored."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.imports import file_previews, tools
from evaluations.models import Experiment

from .. import json_body
from ..parsing import UploadParser
from ..routes import route
from ..serializers.file_preview import (
    FilePreviewSerializer,
    OutputsPreviewSerializer,
    PreviewedFileSerializer,
    PreviewedOutputsSerializer,
    as_dict,
    of_outputs,
    of_table,
    of_tool,
)
from ..serializers.reading import how_of
from .base import RUN, WRITE, View, find, visible
from .mappings import mapping_of


@route("datasets/preview/", "dataset-preview")
class DatasetPreview(View):
    serializer_class = FilePreviewSerializer
    needs = {"POST": WRITE}
    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": PreviewedFileSerializer}, responses={200: FilePreviewSerializer}
    )
    def post(self, request: Request) -> Response:
        """What `POST datasets/` would create from a file, without storing anything. For a table: its columns, a
        mapping and the rows that cannot be imported. For another tool's export: its contents.
        """
        body = self.checked(PreviewedFileSerializer)
        mapping = mapping_of(self.project, body)
        with self.parked(body, tools=mapping is None) as upload:
            same, tool, table = file_previews.same_content(upload), None, None
            if tools.tool_of(upload):
                tool = of_tool(tools.evaluation(upload), may_be_table=tools.may_be_table(upload))
            else:
                table = of_table(file_previews.table(upload, mapping, how_of(body)))
            answer = as_dict(upload, same.pk if same else None, tool, table)
        return Response(self.get_serializer(answer).data)


@route("runs/preview/", "run-preview")
class RunPreview(View):
    serializer_class = OutputsPreviewSerializer
    needs = {"POST": RUN}
    parser_classes = [UploadParser]

    @extend_schema(
        request={"multipart/form-data": PreviewedOutputsSerializer},
        responses={200: OutputsPreviewSerializer},
    )
    def post(self, request: Request) -> Response:
        """Preview how the rows of a file with outputs match the examples. Nothing is stored."""
        body = self.checked(PreviewedOutputsSerializer)
        experiment = find(visible(Experiment, self.key), body["experiment"], "experiment")
        mapping = json_body.object_in(body["mapping"], "mapping") if "mapping" in body else None
        with self.parked(body) as upload:
            answer = of_outputs(file_previews.outputs_of(upload, experiment, mapping, how_of(body)))
        return Response(self.get_serializer(answer).data)
