"""What people say of one run: a mean of their labels, helped by a judge, or transferred from other runs."""

from typing import get_args

from rest_framework import serializers

from evaluations.comparisons.figures.figures import Estimate

from ..answers import Answer, floats
from ..fields import Text
from .page import NoQuery
from .run import UsedEvaluatorSerializer


class OpinionQuery(NoQuery):
    evaluator = Text(required=False, default="", help_text="Name or id of a label set. Default: all.")
    estimate = serializers.ChoiceField(
        get_args(Estimate),
        required=False,
        default="helped",
        help_text="`labels`: nothing helps people's labels.",
    )


class StratumSerializer(Answer):
    """Answers with a judge's values from `low` to `high`; those of a stratum that is `known` were never given."""

    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    size = serializers.IntegerField()
    labelled = serializers.IntegerField()
    mean = serializers.FloatField()
    known = serializers.BooleanField(source="is_known")


class MeanSerializer(Answer):
    """A mean with its 95 % interval, from `labels` labels of `judged` answers."""

    mean = serializers.FloatField(source="value")
    interval = floats()
    labels = serializers.IntegerField()
    judged = serializers.IntegerField()


class HelpedMeanSerializer(MeanSerializer):
    """`saved` is how many of the labels the helper saved. Pass and fail are estimated in strata."""

    saved = serializers.IntegerField()
    method = serializers.CharField()
    strata = StratumSerializer(many=True)


class TransferredSerializer(Answer):
    """Of a run without labels: corrected by the helper's errors on other runs; never a verdict."""

    mean = serializers.FloatField(source="value")
    interval = floats()
    labels = serializers.IntegerField(help_text="Sealed labels of other runs.")


class OpinionSerializer(Answer):
    """What people say of a run by one label set. What counts is `helped`, else `labels_only`."""

    label_set = UsedEvaluatorSerializer(source="version")
    helper = UsedEvaluatorSerializer(allow_null=True)
    sentence = serializers.CharField()
    labels_only = MeanSerializer(source="alone", allow_null=True)
    helped = HelpedMeanSerializer(allow_null=True)
    transferred = TransferredSerializer(allow_null=True)
    judge_only = serializers.FloatField(
        source="judged",
        allow_null=True,
        help_text="The mean of what the helper says: no estimate of people's opinion.",
    )
    unsure = serializers.IntegerField(help_text="Answers that were seen only by people who were unsure.")
    more = serializers.IntegerField(
        allow_null=True,
        help_text="How many more labels make half of the interval 5 % of the scale; null if all of them do not.",
    )


class OpinionsSerializer(Answer):
    """Those with labels of the run first."""

    opinions = OpinionSerializer(many=True)
