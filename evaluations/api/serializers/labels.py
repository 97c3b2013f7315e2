"""Label sets, tasks, items for raters, and labels."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.kinds.people import LONGEST_GUIDELINE, LONGEST_QUESTION, Answers, Purpose
from evaluations.labelling import sent_labels, sets, tasks
from evaluations.models import Evaluator, Label, LabelTask
from evaluations.models.fields import longest
from evaluations.values import LONGEST_RATER

from ..answers import Answer, strings
from ..fields import AnyJSON, Flag, Id, IntegerText, Key, Name, ObjectText, Rows, Strict, Text
from .page import PageQuery
from .reading import FormatSerializer
from .run import Whole
from .sent_scores import Labels


@extend_schema_field(
    {
        "oneOf": [
            {"type": "object", "additionalProperties": {"type": "number"}},
            {"type": "array", "items": {"type": "string"}},
            {"type": "string"},
        ],
        "description": 'The number of each word: {"good": 1, "bad": 0}; or words alone: ["billing", "other"].',
    }
)
class Words(Labels):
    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, list):
            return super().to_internal_value(data)
        if not all(isinstance(word, str) and not {",", "="} & {*word} for word in data):
            raise serializers.ValidationError("Words are texts without a comma and =.")
        return ", ".join(data)


class LabelSetChangeSerializer(Strict):
    """What is left out stays. Another question, guideline or answers make the next version."""

    question = Text(required=False, max_length=LONGEST_QUESTION)
    guideline = Text(required=False, max_length=LONGEST_GUIDELINE)
    answers = serializers.ChoiceField(get_args(Answers), required=False)
    labels = Words(required=False, allow_null=True)
    minimum = serializers.FloatField(required=False, allow_null=True)
    maximum = serializers.FloatField(required=False, allow_null=True)


class NewLabelSetSerializer(LabelSetChangeSerializer):
    """`answers` are pass and fail, `labels` with or without numbers, a scale from `minimum` to `maximum`, or a `pair`.

    A set for `reading` holds labels of chosen answers, or of people who see scores: they are no estimates. A `weighted`
    one is for samples of which some parts are drawn more than others.
    """

    name = Name()
    purpose = serializers.ChoiceField(get_args(Purpose), required=False)


class LabelSetSerializer(Answer):
    """A label set is an evaluator: `id` is one too, and its labels are a column of scores."""

    id = serializers.IntegerField(source="0.pk")
    name = serializers.CharField(source="0.name")
    version = serializers.IntegerField(source="0.version")
    answers = serializers.CharField(source="1.answers")
    question = serializers.CharField(source="1.question")
    guideline = serializers.CharField(source="1.guideline")
    purpose = serializers.CharField(source="1.purpose")
    choices = serializers.DictField(source="1.choices", child=serializers.FloatField())
    created_at = serializers.DateTimeField(source="0.created_at")

    def to_representation(self, instance: Evaluator) -> Any:
        return super().to_representation((instance, sets.config_of(sets.newest_of(instance))))


class LabelSampleSerializer(Strict):
    """`drawn` at random; in `groups`, each value of the metadata column `by` in its share, all with one chance;
    `evenly`, equally many of each value; `differing`, more of those on which scores of variants or evaluators differ; a
    `trial`, which never counts; by `disagreement` of the evaluators, the largest first; or `chosen` by `positions`.

    Random samples are drawn among these `positions` and values of `metadata` only, if there are any. Such samples,
    `evenly` and `differing` need a label set that is `weighted`.
    """

    size = serializers.IntegerField(required=False, min_value=1)
    seed = serializers.IntegerField(required=False, default=1)
    drawn = serializers.ChoiceField(
        ["random", "groups", "evenly", "differing", "trial", "disagreement", "chosen"],
        required=False,
        default="random",
    )
    by = Text(
        required=False,
        max_length=longest(LabelTask, "by"),
        help_text="A metadata column of the dataset, for `groups` and `evenly`.",
    )
    metadata = serializers.DictField(
        child=Text(max_length=2_000, allow_blank=True),
        required=False,
        help_text="Only examples with these values of metadata; of a list, with this member.",
    )
    positions = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=tasks.MOST_ITEMS
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = ["positions"] if attrs["drawn"] == "chosen" else ["size"]
        needed += ["by"] if attrs["drawn"] in ("groups", "evenly") else []
        if missing := [name for name in needed if name not in attrs]:
            raise serializers.ValidationError({name: ["This field is required."] for name in missing})
        conditions = list(attrs.pop("metadata", {}).items())
        told = [f"{name} = {value}" for name, value in conditions]
        told += [f"{len(attrs['positions'])} chosen examples"] if "positions" in attrs else []
        population = ", ".join(told)[:300]
        return {
            "size": len(attrs.get("positions", ())),
            "metadata": conditions,
            "population": population,
        } | attrs


class StopSerializer(Strict):
    """Half of the interval is at most `width`, or the variants are `decided`, but for differences below `margin`."""

    by = serializers.ChoiceField(["width", "decided"])
    width = serializers.FloatField(required=False)
    margin = serializers.FloatField(required=False)


class NewLabelTaskSerializer(Strict):
    label_set = Id()
    runs = serializers.ListField(child=Id(), min_length=1, max_length=tasks.MOST_RUNS)
    sample = LabelSampleSerializer()
    raters = serializers.IntegerField(required=False, default=1, min_value=1, max_value=tasks.MOST_RATERS)
    overlap = serializers.FloatField(required=False, default=0.2, min_value=0, max_value=1)
    blind = Flag(required=False, default=True, help_text="False shows variants and scores to raters.")
    reference = Flag(required=False, default=True, help_text="False hides the reference from raters.")
    stop = StopSerializer(required=False, allow_null=True, default=None)


class LabelTaskSerializer(Answer):
    id = serializers.IntegerField(source="pk")
    label_set = serializers.IntegerField(source="version.evaluator_id")
    version = serializers.IntegerField(source="version.number")
    runs = serializers.SerializerMethodField()
    size = serializers.IntegerField(help_text="Examples in the sample.")
    seed = serializers.IntegerField()
    raters = serializers.IntegerField()
    overlap = serializers.FloatField(help_text="The share of answers that one more person labels.")
    drawn = serializers.CharField()
    by = serializers.CharField(
        help_text="The metadata column whose values have their share of the sample, or equally many; else empty."
    )
    population = serializers.CharField(help_text="Which examples were drawn from; empty for all.")
    parts = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of a weighed sample: `name`, `size` and how many were `drawn` of each part, so that an example of "
        "it was drawn with the probability drawn / size. Else empty.",
    )
    reference = serializers.SerializerMethodField(help_text="Whether raters see the reference.")
    blind = serializers.BooleanField(source="is_blind")
    stop = AnyJSON(allow_null=True, help_text="The rule, and `ended` if the task ended by it.")
    progress = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)

    def get_reference(self, task: LabelTask) -> bool:
        return not task.hides_reference

    def get_runs(self, task: LabelTask) -> list[int]:
        return [run.pk for run in task.runs.all()]

    def get_progress(self, task: LabelTask) -> dict[str, Any]:
        told = tasks.progress(task)
        return {"done": told.done, "total": told.total, "raters": told.raters, "unsure": told.unsure}


class LabelFactsQuery(PageQuery):
    task = IntegerText(required=False, min_value=1, help_text="Only the labels of this task.")
    rater = IntegerText(
        required=False, min_value=1, help_text="Only those of the rater with this number in a task."
    )


class ShownItemSerializer(Answer):
    """An item as a rater sees it. Nothing in it tells the variant, the run or other raters.

    Of a pair, `output` is null and `outputs` are those on the left and on the right.
    """

    item = serializers.CharField()
    lease = serializers.CharField()
    question = serializers.CharField()
    guideline = serializers.CharField()
    choices = strings()
    input = AnyJSON()
    expected = AnyJSON()
    output = AnyJSON(allow_null=True)
    outputs = serializers.ListField(child=AnyJSON(allow_null=True))
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class NewLabelSerializer(Strict):
    item = Text(max_length=32)
    lease = Text(max_length=32)
    value = Text(required=False, max_length=longest(Label, "answer"), help_text="One of the `choices`.")
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
    """One label with its history: who as a number in their task, when, how long, and whether it was taken back."""

    task = serializers.IntegerField(source="item.task_id")
    run = serializers.IntegerField(source="item.run_id")
    example = serializers.IntegerField(source="item.example")
    rater = serializers.IntegerField(source="rater.number")
    version = serializers.IntegerField(source="version.number")
    value = serializers.CharField(source="answer")
    unsure = serializers.SerializerMethodField()
    note = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    opponent = serializers.IntegerField(
        source="item.other_id", allow_null=True, help_text="Of a pair: the other run."
    )
    left = serializers.SerializerMethodField(help_text="Of a pair: the run whose answer was on the left.")
    probability = serializers.SerializerMethodField(
        help_text="That with which the example was drawn; null if the label is not for estimates."
    )
    adjudicated = serializers.BooleanField(source="is_adjudicated")
    at = serializers.DateTimeField(source="created_at")
    withdrawn_at = serializers.DateTimeField(allow_null=True)

    def get_left(self, label: Any) -> int | None:
        item = label.item
        return None if item.other_id is None else item.other_id if item.is_swapped else item.run_id

    def get_probability(self, label: Any) -> float | None:
        return label.item.probability if label.item.task.is_blind else None

    def get_unsure(self, label: Any) -> bool:
        return label.value is None


LABEL = {
    "key": (str, int),
    "position": (int,),
    "value": (),
    "unsure": (bool,),
    "rater": (str,),
    "note": (str,),
}


class NewSentLabelSerializer(Strict):
    """One label that exists already. `key` or `position` identifies its example; several raters may label one."""

    key = Key(required=False, allow_null=True)
    position = Whole(required=False, min_value=1)
    value = AnyJSON(required=False, allow_null=True, help_text="One of the `choices` of the set.")
    unsure = serializers.BooleanField(required=False)
    rater = Text(required=False, allow_null=True, max_length=LONGEST_RATER)
    note = Text(required=False, allow_null=True)


@extend_schema_field(NewSentLabelSerializer(many=True))
class LabelRows(Rows):
    def __init__(self, **options: Any):
        super().__init__(kinds=LABEL, help_text=f"At most {sent_labels.MOST}.", **options)


RANDOM = "Whether the labelled examples are a random sample of those answered; other labels are no estimates."


class SentLabelsSerializer(Strict):
    run = Id()
    labels = LabelRows()
    random = Flag(required=False, default=False, help_text=RANDOM)


class LabelsUploadSerializer(FormatSerializer):
    """A file with a row for each label; columns are recognised by the names of their parts, or named."""

    file = serializers.FileField(allow_empty_file=True)
    run = IntegerText(min_value=1)
    random = serializers.BooleanField(required=False, default=False, help_text=RANDOM)
    columns = ObjectText(
        required=False,
        default="{}",
        help_text='The columns of the parts, as JSON: {"key": "id", "value": "verdict", "by": "who"}.',
    )


class SentLabelsAnswerSerializer(Answer):
    """How many labels were stored, of how many raters; `task` holds them."""

    task = serializers.IntegerField(source="task.pk")
    stored = serializers.IntegerField()
    raters = serializers.IntegerField()
    unsure = serializers.IntegerField()
    left_out = strings(help_text="Of a file: columns that were not read.")
