"""Comments on examples: written and read by everybody who may read."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.access import audit
from evaluations.labelling import comments
from evaluations.models import Comment, Dataset, Example, Run

from ..refusals import NotFound
from ..routes import noun
from ..serializers.comments import (
    CommentChangeSerializer,
    CommentSerializer,
    CommentsQuery,
    NewCommentSerializer,
)
from .base import READ, Noun, RestoredByMakers, find, takes, visible


@extend_schema_view(retrieve=extend_schema(description="One comment."))
@noun("comments", "comment")
class Comments(RestoredByMakers, Noun):
    """Comments on examples, the newest first."""

    serializer_class = CommentSerializer
    list_query = CommentsQuery
    needs = RestoredByMakers.needs | {"PATCH": READ}

    def get_queryset(self) -> QuerySet[Comment]:
        return comments.listed(visible(Comment, self.key))

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        named = {name: self.params[name] for name in ("dataset", "run") if name in self.params}
        stored = comments.that_are(queryset.filter(**named), self.params.get("done"))
        return stored.filter(text__has=self.params["search"]) if self.params.get("search") else stored

    @takes(NewCommentSerializer, {201: CommentSerializer})
    def create(self, body: dict[str, Any]) -> Response:
        """Comment on an example, or on the answer of a run to it."""
        run = find(visible(Run, self.key), body["run"], "run") if "run" in body else None
        dataset = (
            run.experiment.dataset if run else find(visible(Dataset, self.key), body["dataset"], "dataset")
        )
        version = run.experiment.dataset_version if run else dataset.version
        example = Example.objects.of_version(dataset.pk, version).filter(position=body["example"]).first()
        if example is None:
            raise NotFound(f"example {body['example']}", "example")
        return self.answer(comments.write(self.person, example, body["text"], run), 201)

    @extend_schema(request=CommentChangeSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Say that a comment is done, or open again. Everybody who may comment may say so."""
        comment, body = self.get_object(), self.checked(CommentChangeSerializer)
        audit.note(state="done" if body["done"] else "open")
        return self.item(comments.mark(comment, body["done"]))

    def restorable(self) -> QuerySet[Comment]:
        return comments.listed(Comment.objects.visible_to(self.key))
