"""Comments on examples: written and read by everybody who may read."""

from functools import partial
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.labelling import comments
from evaluations.models import Comment, Dataset, Example, Run

from ..idempotency import once
from ..refusals import NotFound
from ..routes import route
from ..schema import IDEMPOTENCY_KEY
from ..serializers.comments import CommentSerializer, CommentsQuery, NewCommentSerializer
from .base import READ, Collection, MakersItem, MakersRestore, View, find, restores, visible


class CommentView(View):
    serializer_class = CommentSerializer

    def get_queryset(self) -> QuerySet[Comment]:
        return comments.listed(visible(Comment, self.key))


@route("comments/", "comment-list")
class CommentList(Collection, CommentView):
    """Comments on examples, the newest first."""

    needs = {"GET": READ, "POST": READ}
    query = CommentsQuery

    def listed(self) -> QuerySet[Comment]:
        named = {name: self.params[name] for name in ("dataset", "run") if name in self.params}
        stored = self.get_queryset().filter(**named)
        return stored.filter(text__has=self.params["search"]) if self.params.get("search") else stored

    @extend_schema(
        request=NewCommentSerializer, responses={201: CommentSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> Response:
        """Comment on an example, or on the answer of a run to it."""
        body = self.checked(NewCommentSerializer)
        return once(request, request.data, partial(self._write, body))

    def _write(self, body: dict[str, Any]) -> Response:
        run = find(visible(Run, self.key), body["run"], "run") if "run" in body else None
        dataset = (
            run.experiment.dataset if run else find(visible(Dataset, self.key), body["dataset"], "dataset")
        )
        version = run.experiment.dataset_version if run else dataset.version
        example = Example.objects.of_version(dataset.pk, version).filter(position=body["example"]).first()
        if example is None:
            raise NotFound(f"example {body['example']}", "example")
        return self.answer(comments.write(self.person, example, body["text"], run), 201)


@route("comments/<id:pk>/", "comment-detail")
class CommentDetail(MakersItem, CommentView):
    """One comment."""


@route("comments/<id:pk>/restore/", "comment-restore")
@restores(CommentSerializer)
class CommentRestore(MakersRestore, CommentView):
    """Brings back a comment."""

    def restorable(self) -> QuerySet[Comment]:
        return comments.listed(Comment.objects.visible_to(self.key))
