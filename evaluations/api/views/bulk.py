"""Edits of many examples, also adding them to a split or removing them from it."""

from functools import partial
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import audit
from evaluations.datasets import members, splits
from evaluations.datasets.selections import Selection
from evaluations.imports import bulk_edits
from evaluations.models import DatasetImport
from evaluations.numerals import grouped

from ..idempotency import once
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.bulk import SPLIT, BulkAnswerSerializer, BulkSerializer, edit_of, selection_of
from .datasets import OfDataset, split_of

READY, IMPORTING = DatasetImport.Status.READY, DatasetImport.Status.IMPORTING


@route("datasets/<id:pk>/examples/bulk/", "example-bulk")
class ExampleBulk(OfDataset):
    serializer_class = BulkAnswerSerializer

    @extend_schema(
        request=BulkSerializer,
        responses={200: BulkAnswerSerializer, 202: BulkAnswerSerializer},
        parameters=[IDEMPOTENCY_KEY],
        description="Set a metadata column of the selected examples, replace text in a column, or delete them: one new "
        "version, if anything changes. Or add them to a split made by hand, or remove them from it. Up to "
        f"{grouped(bulk_edits.AT_ONCE)} examples are changed at once; for more, a worker does it (202).",
    )
    def post(self, request: Request, pk: int) -> Response:
        dataset, body = self.dataset(), self.checked(BulkSerializer)
        selection = selection_of(dataset, body, split_of(dataset, body["select"]))
        change = partial(self._move if body["do"] == SPLIT else self._edit, selection, body)
        response = once(request, request.data, change, prepare=selection.resolve)
        return audit.unrecorded(response, body["dry_run"])

    def _edit(self, selection: Selection, body: dict[str, Any]) -> Response:
        with transaction.atomic():
            change = bulk_edits.begin(selection, edit_of(body), self.person, dry_run=body["dry_run"])
            bulk_edits.require_success(change)
        counts = {"changed": change.changed, "removed": change.removed, "same": change.same}
        version = change.base if change.version is None else change.version
        return _answer(selection, body, change.status, change.pk, version, counts, change.first)

    def _move(self, selection: Selection, body: dict[str, Any]) -> Response:
        split, add = splits.named(selection.dataset, body["split"]), body["action"] == "add"
        moved = members.move(split, selection, add=add, dry_run=body["dry_run"])
        counts = {"changed": moved, "removed": 0, "same": len(selection.chosen) - moved}
        return _answer(selection, body, READY, None, selection.version, counts, {})


def _answer(
    selection: Selection,
    values: dict[str, Any],
    status: str,
    number: int | None,
    version: int,
    counts: dict[str, int],
    first: dict[str, Any],
) -> Response:
    selected = len(selection.chosen)
    audit.note(examples=selected, do=values["do"])
    shown = {"do": values["do"], "dry_run": values["dry_run"], "status": status, "version": version}
    body = {"import": number} | shown | {"selected": selected} | counts | {"first": first}
    return Response(body, 202 if status == IMPORTING else 200)
