"""Label sets, tasks, items for raters, and labels."""

from typing import Any

from rest_framework import serializers

from evaluations.labelling import sets, tasks
from evaluations.models import Evaluator, LabelTask

from ..answers import Answer
from ..fields import AnyJSON, Flag, Id, Name, Strict, Text
from .page import PageQuery
from .sent_scores import Labels

ANSWERS = ["pass_fail", "labels", "scale"]


class LabelSetChangeSerializer(Strict):
    """What is left out stays. Another question, guideline or answers make the next version."""

    question = Text(required=False, max_length=300)
    guideline = Text(required=False, max_length=20_000)
    answers = serializers.ChoiceField(ANSWERS, required=False)
    labels = Labels(required=False, allow_null=True)
    minimum = serializers.FloatField(required=False, allow_null=True)
    maximum = serializers.FloatField(required=False, allow_null=True)


class NewLabelSetSerializer(LabelSetChangeSerializer):
    """`answers` are pass and fail, `labels` with their numbers, or a scale from `minimum` to `maximum`."""

    name = Name()


class LabelSetSerializer(Answer):
    """A label set is an evaluator: `id` is one too, and its labels are a column of scores."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    version = serializers.IntegerField()
    answers = serializers.SerializerMethodField()
    question = serializers.SerializerMethodField()
    guideline = serializers.SerializerMethodField()
    choices = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()

    def get_answers(self, evaluator: Evaluator) -> str:
        return sets.config_of(sets.newest_of(evaluator)).answers

    def get_question(self, evaluator: Evaluator) -> str:
        return sets.config_of(sets.newest_of(evaluator)).question

    def get_guideline(self, evaluator: Evaluator) -> str:
        return sets.config_of(sets.newest_of(evaluator)).guideline

    def get_choices(self, evaluator: Evaluator) -> dict[str, float]:
        return sets.config_of(sets.newest_of(evaluator)).choices


class LabelSampleSerializer(Strict):
    size = serializers.IntegerField(min_value=1)
    seed = serializers.IntegerField(required=False, default=1)


class NewLabelTaskSerializer(Strict):
    label_set = Id()
    runs = serializers.ListField(child=Id(), min_length=1, max_length=tasks.MOST_RUNS)
    sample = LabelSampleSerializer()
    raters = serializers.IntegerField(required=False, default=1, min_value=1, max_value=tasks.MOST_RATERS)
    overlap = serializers.FloatField(required=False, default=0.2, min_value=0, max_value=1)


class LabelTaskSerializer(Answer):
    id = serializers.IntegerField(source="pk")
    label_set = serializers.IntegerField(source="version.evaluator_id")
    version = serializers.IntegerField(source="version.number")
    runs = serializers.SerializerMethodField()
    size = serializers.IntegerField(help_text="Examples in the sample.")
    seed = serializers.IntegerField()
    raters = serializers.IntegerField()
    overlap = serializers.FloatField(help_text="The share of answers that one more person labels.")
    progress = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)

    def get_runs(self, task: LabelTask) -> list[int]:
        return [run.pk for run in task.runs.all()]

    def get_progress(self, task: LabelTask) -> dict[str, Any]:
        told = tasks.progress(task)
        return {"done": told.done, "total": told.total, "raters": told.raters, "unsure": told.unsure}


class LabelTasksQuery(PageQuery):
    pass


class ShownItemSerializer(Answer):
    """An item as a rater sees it. Nothing in it tells the variant, the run or other raters."""

    item = serializers.CharField()
    lease = serializers.CharField()
    question = serializers.CharField()
    guideline = serializers.CharField()
    choices = serializers.ListField(child=serializers.CharField())
    input = AnyJSON()
    expected = AnyJSON()
    output = AnyJSON(allow_null=True)
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class NewLabelSerializer(Strict):
    item = Text(max_length=32)
    lease = Text(max_length=32)
    value = Text(required=False, max_length=200, help_text="One of the `choices`.")
    unsure = Flag(required=False, default=False)
    note = Text(required=False, default="")


class StoredLabelSerializer(Answer):
    value = serializers.CharField(source="answer")
    unsure = serializers.SerializerMethodField()
    note = serializers.CharField()
    seconds = serializers.FloatField()

    def get_unsure(self, label: Any) -> bool:
        return label.value is None


class LabelFactSerializer(Answer):
    """One label with its history: who as a number, when, how long, and whether it was taken back."""

    run = serializers.IntegerField(source="item.run_id")
    example = serializers.IntegerField(source="item.example")
    rater = serializers.IntegerField(source="rater.number")
    version = serializers.IntegerField(source="version.number")
    value = serializers.CharField(source="answer")
    unsure = serializers.SerializerMethodField()
    note = serializers.CharField()
    seconds = serializers.FloatField()
    at = serializers.DateTimeField(source="created_at")
    withdrawn_at = serializers.DateTimeField(allow_null=True)

    def get_unsure(self, label: Any) -> bool:
        return label.value is None
