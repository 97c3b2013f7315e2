"""Raters of a task, links for people without an account, items, and decisions about answers on which raters differ."""

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import permissions
from evaluations.access.addresses import public_address
from evaluations.errors import Forbidden
from evaluations.labelling import adjudication, links, raters
from evaluations.models import Evaluator, LabelItem, LabelTask, Rater, RaterLink

from ..idempotency import once_with_secret
from ..refusals import NotFound
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.raters import (
    LabelItemSerializer,
    MadeRaterLinkSerializer,
    NewAnnotatorSerializer,
    NewDecisionSerializer,
    NewRaterLinkSerializer,
    RaterLinkSerializer,
    RatersSerializer,
)
from .base import ADMIN, READ, WRITE, Listing, View, find, takes, visible
from .labels import label_sets, require_value


class TaskView(View):
    """What belongs to the task in the address."""

    def task(self) -> LabelTask:
        return find(visible(LabelTask, self.key).select_related("project"), self.kwargs["pk"])


@route("label-tasks/<id:pk>/raters/", "labeltask-raters")
class LabelTaskRaters(TaskView):
    serializer_class = RatersSerializer

    def get(self, request: Request, pk: int) -> Response:
        """The raters of a task. Only administrators see their names."""
        return Response(self._raters(self.task()))

    @extend_schema(request=NewAnnotatorSerializer, responses={201: RatersSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Ask an annotator of the project to label in this task. The answer lists all raters."""
        task, person = self.task(), self.checked(NewAnnotatorSerializer)["person"]
        raters.ask(task, find(User.objects.filter(memberships__project=task.project_id), person, "person"))
        return Response(self._raters(task), 201)

    def _raters(self, task: LabelTask) -> Any:
        with_names = "admin" in permissions.allowed(self.key, task.project)
        return RatersSerializer({"raters": raters.told(task, with_names=with_names)}).data


class RaterView(TaskView):
    def rater(self) -> Rater:
        rater = self.task().people.filter(number=self.kwargs["number"]).first()
        if rater is None:
            raise NotFound("rater", "")
        return rater


@route("label-tasks/<id:pk>/raters/<id:number>/", "labeltask-rater")
class LabelTaskRater(RaterView):
    needs = {"DELETE": ADMIN}

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, number: int) -> Response:
        """Delete all labels of a rater for good; their items are free again."""
        raters.delete_labels(self.rater())
        return Response(status=204)


@route("label-tasks/<id:pk>/raters/<id:number>/forget/", "labeltask-forget")
class LabelTaskRaterForget(RaterView):
    needs = {"POST": ADMIN}

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: int, number: int) -> Response:
        """Remove name and account of a rater for good, and end their link. Their labels stay, under the number."""
        self.nothing_given()
        raters.forget(self.rater())
        return Response(status=204)


@route("label-tasks/<id:pk>/items/", "labeltask-items")
class LabelTaskItems(TaskView, Listing):
    """The items of a task with the labels of each, in the order in which they are asked."""

    serializer_class = LabelItemSerializer

    def get_queryset(self) -> QuerySet[LabelItem]:
        live = self.task().items.filter(run__deleted_at=None)
        return live.prefetch_related("labels__rater")


@route("label-tasks/<id:pk>/links/", "labeltask-links")
class LabelTaskLinks(TaskView, Listing):
    """The links of a task for people without an account."""

    needs = {"GET": WRITE, "POST": WRITE}
    serializer_class = RaterLinkSerializer

    def get_queryset(self) -> QuerySet[RaterLink]:
        return self.task().links.select_related("rater")

    @extend_schema(
        request=NewRaterLinkSerializer,
        responses={201: MadeRaterLinkSerializer},
        parameters=[IDEMPOTENCY_KEY],
    )
    def post(self, request: Request, pk: int) -> Response:
        """Make a link for one person without an account, who sees this task only. Its address is shown once."""
        task, days = self.task(), self.checked(NewRaterLinkSerializer)["days"]
        return once_with_secret(request, "url", partial(self._make, task, days))

    def _make(self, task: LabelTask, days: int) -> tuple[Response, str]:
        link, token = links.create(task, self.person, days)
        address = public_address(self.request, reverse("rater-join", args=[token]))
        return Response(self.get_serializer(link).data, 201), address


@route("label-tasks/<id:pk>/links/<id:link>/", "labeltask-link")
class LabelTaskLink(TaskView):
    needs = {"DELETE": WRITE}

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, link: int) -> Response:
        """Withdraw a link. The labels that were given by it stay."""
        links.withdraw(find(self.task().links.all(), link))
        return Response(status=204)


# ---- decisions -----------------------------------------------------------------------------------------------


def deciding_person(view: View) -> User:
    if view.person is None:
        raise Forbidden("forbidden", "Only people decide: use a key that belongs to a person.")
    return view.person


@route("label-sets/<id:pk>/adjudications/", "labelset-adjudications")
class Adjudications(Listing):
    """Answers on which raters differ, with what they said and what was decided."""

    needs = {"GET": READ, "POST": WRITE}
    serializer_class = LabelItemSerializer

    def get_queryset(self) -> QuerySet[LabelItem]:
        return adjudication.differing(self.label_set()).prefetch_related("labels__rater")

    def label_set(self) -> Evaluator:
        return find(label_sets(self.key), self.kwargs["pk"])

    @takes(NewDecisionSerializer, {201: LabelItemSerializer}, of=deciding_person)
    def post(self, person: User, body: dict[str, Any]) -> Response:
        """Decide about an answer on which raters differ: this label counts. An earlier decision stays as history."""
        require_value(body)
        item = adjudication.item_of(self.label_set(), body["item"])
        adjudication.decide(item, person, body.get("value"), body["note"])
        return self.answer(item, 201)


@route("label-sets/<id:pk>/adjudications/<str:item>/", "labelset-adjudication")
class Adjudication(Adjudications):
    has_pages = False
    needs = {"DELETE": WRITE}
    http_method_names = ["delete", "options"]

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int, item: str) -> Response:
        """Take a decision back: what raters said counts again."""
        adjudication.undo(adjudication.item_of(self.label_set(), item))
        return Response(status=204)
