"""Run statistics of one evaluator: values with intervals, figures of labels, and the label table."""

from typing import Any

from rest_framework import serializers

from evaluations.launches.plans import MOST_RUNS

from ..answers import floats, integers, strings
from ..fields import Flag, Number, Strict, Text
from .page import NoQuery
from .price import Amount
from .run import UsedEvaluatorSerializer


class StatisticsQuery(NoQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of an evaluator. Default: the first one."
    )


class RepeatSerializer(Strict):
    add = Number(min_value=1, max_value=MOST_RUNS, required=True, help_text="How many repetitions to add.")
    all_variants = Flag(
        default=False, help_text="true: repeat every variant of the launch, not this one alone."
    )
    budget = Amount(required=False, help_text="The new limit for the total cost of the launch.")
    max_calls = Number(help_text="The new limit for the total number of calls of the launch.")
    judges = Flag(
        default=True,
        help_text="Judges read the repetitions within these limits, if they read the launch or a limit is named here. "
        "false: they wait.",
    )
    estimate_only = Flag(default=False)


class RepeatedSerializer(serializers.Serializer[Any]):
    """The new runs, which belong to the launch."""

    launch = serializers.IntegerField()
    runs = integers()


class StatisticSerializer(serializers.Serializer[Any]):
    """The interval (95 %) is that of this run alone. Only the `headline` is compared, ranked and gated."""

    name = serializers.CharField()
    title = serializers.CharField()
    value = serializers.FloatField()
    interval = floats(allow_null=True)
    headline = serializers.BooleanField(source="is_headline")


class LabelFiguresSerializer(serializers.Serializer[Any]):
    """`support` references and `answered` answers have the label, `hits` both; `interval` is that of F1."""

    label = serializers.CharField()  # type: ignore[assignment] # a field of this name, not the property
    precision = serializers.FloatField()
    recall = serializers.FloatField()
    f1 = serializers.FloatField()
    interval = floats(allow_null=True)
    support = serializers.IntegerField()
    answered = serializers.IntegerField()
    hits = serializers.IntegerField()


class LabelTableSerializer(serializers.Serializer[Any]):
    """`counts[i][j]` examples with the reference `rows[i]` were read as `columns[j]`; null: outside the labels."""

    rows = strings()
    columns = serializers.ListField(child=serializers.CharField(allow_null=True))
    counts = serializers.ListField(child=integers())


class RunStatisticsSerializer(serializers.Serializer[Any]):
    """A row without an answer counts as an empty one. `missing` says why there are no statistics."""

    evaluator = UsedEvaluatorSerializer()
    examples = serializers.IntegerField()
    statistics = StatisticSerializer(many=True)
    labels = LabelFiguresSerializer(many=True)
    table = LabelTableSerializer(allow_null=True)
    signature = serializers.CharField(allow_null=True, help_text="sacrebleu's, for BLEU and chrF.")
    missing = serializers.CharField(allow_null=True)


class MoreSerializer(serializers.Serializer[Any]):
    """`calls` for so many more repetitions or examples make the interval narrower by this part."""

    repetitions = serializers.IntegerField()
    examples = serializers.IntegerField()
    narrower = serializers.FloatField()
    calls = serializers.IntegerField()


class RepetitionsSerializer(serializers.Serializer[Any]):
    """`n` repetitions of the variant. `pass_at` (at least one of k attempts passes) and `pass_all` (all of k) have a
    value for each k, estimated without bias. `flaky` examples pass sometimes. `noise_share` is the part of the variance
    of the variant's mean that further repetitions would remove; null below two repetitions or ten examples."""

    evaluator = UsedEvaluatorSerializer()
    runs = integers()
    n = serializers.IntegerField()
    examples = serializers.IntegerField()
    pass_at = serializers.DictField(child=serializers.FloatField(allow_null=True))
    pass_all = serializers.DictField(child=serializers.FloatField(allow_null=True))
    majority = serializers.FloatField(
        allow_null=True,
        help_text="Share of examples that pass in more than half of the attempts; a tie counts half.",
    )
    always = serializers.IntegerField()
    never = serializers.IntegerField()
    flaky = strings()
    noise_share = serializers.FloatField(allow_null=True)
    plan = MoreSerializer(many=True)
