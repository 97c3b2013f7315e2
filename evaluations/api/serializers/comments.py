"""Comments on examples."""

from typing import Any

from rest_framework import serializers

from evaluations.labelling import comments
from evaluations.models import Comment
from evaluations.values import LONGEST_SEARCH

from ..answers import Answer
from ..fields import Flag, FlagText, Id, IntegerText, Strict, Text
from .page import PageQuery


class CommentSerializer(Answer):
    """A comment on an example, or on the answer of `run` to it; `example` is its position in the newest version."""

    id = serializers.IntegerField(source="pk")
    dataset = serializers.IntegerField(source="dataset_id")
    example = serializers.SerializerMethodField()
    run = serializers.IntegerField(source="run_id", allow_null=True)
    text = serializers.CharField()
    by = serializers.CharField(source="created_by.username", allow_null=True)
    created_at = serializers.DateTimeField()
    done = serializers.SerializerMethodField(help_text="Whether somebody said that nothing is left to do.")

    def get_done(self, comment: Comment) -> bool:
        return comment.done_at is not None

    def get_example(self, comment: Comment) -> int | None:
        return comments.position_of(comment)


class NewCommentSerializer(Strict):
    """`example` is the position in the dataset, or in that of the `run` whose answer the comment is about."""

    dataset = Id(required=False)
    run = Id(required=False)
    example = serializers.IntegerField(min_value=1)
    text = Text()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not {"dataset", "run"} & {*attrs}:
            raise serializers.ValidationError({"dataset": ["Name the dataset or the run."]})
        return attrs


class CommentChangeSerializer(Strict):
    done = Flag(help_text="true: nothing is left to do; false: it is open again.")


class CommentsQuery(PageQuery):
    dataset = IntegerText(required=False, min_value=1)
    run = IntegerText(required=False, min_value=1)
    search = Text(required=False, max_length=LONGEST_SEARCH, help_text="Only comments with this text.")
    done = FlagText(required=False, help_text="Only comments that are done, or with false open ones.")
