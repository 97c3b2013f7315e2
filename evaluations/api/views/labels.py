"""Label sets, tasks, and what a rater does: take an item, label it, take the last label back."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.errors import Forbidden, Invalid
from evaluations.imports import score_files
from evaluations.kinds.people import people
from evaluations.labelling import presence, raters, rating, sent_labels, sets, tasks
from evaluations.models import ApiKey, Evaluator, Label, LabelItem, LabelTask, Rater, Run, Seat

from .. import json_body
from ..idempotency import once
from ..parsing import JSONParser, UploadParser
from ..refusals import NotFound
from ..routes import noun, route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.labels import (
    LabelFactSerializer,
    LabelFactsQuery,
    LabelSetChangeSerializer,
    LabelSetSerializer,
    LabelsUploadSerializer,
    LabelTaskSerializer,
    NewLabelSerializer,
    NewLabelSetSerializer,
    NewLabelTaskSerializer,
    SentLabelsAnswerSerializer,
    SentLabelsSerializer,
    ShownItemSerializer,
    StoredLabelSerializer,
)
from ..serializers.page import PageQuery
from .base import RATE, WRITE, Listing, Noun, View, find, find_all, takes, visible
from .datasets import is_form


def label_sets(key: ApiKey) -> QuerySet[Evaluator]:
    return visible(Evaluator, key).filter(versions__kind=people.key).distinct()


@extend_schema_view(retrieve=extend_schema(description="One label set."))
@noun("label-sets", "labelset")
class LabelSets(Noun):
    """Label sets: a question that people answer about outputs, with its guideline."""

    serializer_class = LabelSetSerializer

    def get_queryset(self) -> QuerySet[Evaluator]:
        return label_sets(self.key)

    @takes(NewLabelSetSerializer, {201: LabelSetSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Create a label set. Its labels will be a column of scores like any other."""
        settings = {name: value for name, value in body.items() if name != "name"}
        return self.answer(sets.create(self.project, self.person, body["name"], settings), 201)

    @extend_schema(request=LabelSetChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change question, guideline or answers: the next version, under which labels stand apart from earlier ones."""
        evaluator = self.get_object()
        sets.change(evaluator, self.person, self.checked(LabelSetChangeSerializer))
        return self.answer(evaluator)


@route("label-sets/<id:pk>/export/", "labelset-export")
class LabelSetExport(Listing):
    """Every label of a set, also those that were taken back. Raters are numbers; ids are of runs and examples."""

    serializer_class = LabelFactSerializer
    query = LabelFactsQuery

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        names = {"task": "item__task", "rater": "rater__number"}
        asked = {names[name]: value for name, value in self.params.items() if name in names}
        return queryset.filter(**asked)

    def get_queryset(self) -> QuerySet[Label]:
        evaluator = find(label_sets(self.key), self.kwargs["pk"])
        labels = Label.objects.filter(version__evaluator=evaluator, item__run__deleted_at=None)
        return labels.select_related("item__task", "rater", "version")


@route("label-sets/<id:pk>/labels/", "labelset-labels")
class LabelSetLabels(View):
    needs = {"POST": WRITE}
    parser_classes = [JSONParser, UploadParser]

    @extend_schema(
        request={"application/json": SentLabelsSerializer, "multipart/form-data": LabelsUploadSerializer},
        responses={201: SentLabelsAnswerSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add labels that exist already, as JSON or as a file; several raters may label one answer.

        On an error nothing is stored. They count like labels that are given here.
        """
        evaluator = find(label_sets(self.key), pk)
        if is_form(request):
            return self._file(evaluator, self.checked(LabelsUploadSerializer))
        body = self.checked(SentLabelsSerializer)
        run = find(visible(Run, self.key), body["run"], "run")
        return once(
            request, request.data, partial(self._send, evaluator, run, body["labels"], body["random"])
        )

    def _send(
        self,
        evaluator: Evaluator,
        run: Run,
        labels: list[dict[str, Any]],
        is_random: bool,
        left_out: Sequence[str] = (),
    ) -> Response:
        sent = sent_labels.send(evaluator, self.person, run, labels, is_random=is_random)
        return Response(SentLabelsAnswerSerializer(replace(sent, left_out=left_out)).data, 201)

    def _file(self, evaluator: Evaluator, body: dict[str, Any]) -> Response:
        run = find(visible(Run, self.key), body["run"], "run")
        columns = json_body.object_in(body["columns"], "columns")
        with self.parked(body) as upload:
            read = score_files.read(upload, columns)
            labels = sent_labels.of_rows(read.scores)
            identity = {"run": run.pk, "columns": columns, "random": body["random"], "file": upload.sha256}
            send = partial(self._send, evaluator, run, labels, body["random"], left_out=read.left_out)
            return once(self.request, identity, send)


def require_value(body: dict[str, Any]) -> None:
    """Refuse a body that says both a value and unsure, or neither."""
    if ("value" in body) == body["unsure"]:
        message = "Send a value, or unsure as true."
        raise Invalid("invalid_choice", message, fields={"value": [message]})


class LabelTaskView(View):
    serializer_class = LabelTaskSerializer

    def get_queryset(self) -> QuerySet[LabelTask]:
        return visible(LabelTask, self.key).select_related("version", "project").prefetch_related("runs")

    def task(self) -> LabelTask:
        return find(self.get_queryset(), self.kwargs["pk"])


@extend_schema_view(retrieve=extend_schema(description="One task with its progress."))
@noun("label-tasks", "labeltask")
class LabelTasks(Noun, LabelTaskView):
    """Tasks: random samples of answers for people to label; the list leaves out those whose runs are all deleted."""

    list_query = PageQuery

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pk__in=presence.shown().values("pk"))

    @takes(NewLabelTaskSerializer, {201: LabelTaskSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Draw a sample of examples; the answers of all these runs to each are items."""
        evaluator = find(label_sets(self.key), body["label_set"], "label_set")
        live = visible(Run, self.key).filter(experiment__deleted_at=None)
        runs = find_all(live.select_related("experiment__dataset"), body["runs"], "runs")
        shares = {name: body[name] for name in ("raters", "overlap", "stop")}
        shown = {"is_blind": body["blind"], "hides_reference": not body["reference"]}
        plan = tasks.Plan(**body["sample"], **shares, **shown)
        return self.answer(tasks.create(evaluator, self.person, runs, plan), 201)

    @extend_schema(request=None, responses=LabelTaskSerializer)
    @action(methods=["post"], detail=True)
    def close(self, request: Request, pk: int) -> Response:
        """End a task for good: nobody gets an item any more. Its labels stay and are in the columns of its runs."""
        self.nothing_given()
        return self.answer(tasks.close(self.task()))


class RatingView(LabelTaskView):
    """What the person behind the key does in a task: a member, or an annotator who is asked."""

    def get_queryset(self) -> QuerySet[LabelTask]:
        return raters.ratable(self.key).select_related("version", "project")

    def rater(self) -> Rater:
        """The person behind the key in the task; who may not rate learns nothing about the task."""
        person = self.rating_person()
        return rating.rater_of(self.task(), person)

    def rating_person(self) -> User:
        if self.person is None:
            raise Forbidden("forbidden", "Only people label: use a key that belongs to a person.")
        return self.person

    def shown_item(self, rater: Rater, seat: Seat | None) -> Response:
        if seat is None:
            return Response(status=204)
        config = sets.config_of(rater.task.version)
        told: dict[str, Any] = {
            "question": config.question,
            "guideline": config.guideline,
            "choices": [*config.choices],
        }
        shown = rating.shown(rater, seat)
        told["output"] = shown.outputs[0] if len(shown.outputs) == 1 else None
        return Response(ShownItemSerializer(vars(shown) | told).data)


@route("label-tasks/<id:pk>/begin/", "labeltask-begin")
class LabelTaskBegin(RatingView):
    needs = {"POST": RATE}

    @extend_schema(request=None, responses={200: ShownItemSerializer, 204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Take an item for 15 minutes: the one that you hold, else a free one; 204 if nothing is left."""
        self.nothing_given()
        rater = self.rater()
        return self.shown_item(rater, rating.begin(rater))


@route("label-tasks/<id:pk>/next/", "labeltask-next")
class LabelTaskNext(RatingView):
    needs = {"GET": RATE}

    @extend_schema(responses={200: ShownItemSerializer, 204: None})
    def get(self, request: Request, pk: int) -> Response:
        """The item that you hold, for 15 more minutes; 204 if you hold none."""
        person = self.rating_person()
        rater = rating.known_rater(self.task(), person)
        return self.shown_item(rater, rating.held(rater)) if rater else Response(status=204)


@route("label-tasks/<id:pk>/undo/", "labeltask-undo")
class LabelTaskUndo(RatingView):
    needs = {"POST": RATE}

    @extend_schema(request=None, responses={200: ShownItemSerializer, 204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Take your last label back and get its item again; the label stays in the history. 204 if there is none."""
        self.nothing_given()
        rater = self.rater()
        return self.shown_item(rater, rating.undo(rater))


@route("labels/", "label-list")
class LabelList(RatingView):
    needs = {"POST": RATE}

    @takes(NewLabelSerializer, {201: StoredLabelSerializer})
    def post(self, body: dict[str, Any]) -> Response:
        """Label the item that you hold, by one of its `choices` or `unsure`, and take the next one."""
        require_value(body)
        person = self.rating_person()
        item = LabelItem.objects.filter(token=body["item"], task__in=self.get_queryset()).first()
        if item is None:
            raise NotFound("item", "item")
        rater = rating.rater_of(find(self.get_queryset(), item.task_id), person)
        with transaction.atomic():
            label = rating.rate(rater, body["item"], body["lease"], body.get("value"), body["note"])
            rating.begin(rater)
        return Response(StoredLabelSerializer(label).data, 201)
