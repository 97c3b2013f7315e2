"""Queries, answers, thresholds and exports of a run's rows with their scores."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons.examples.gains import OUTCOMES
from evaluations.results import filter_params
from evaluations.results.results import WORDS
from evaluations.values import LARGEST_POSITION

from ..answers import floats
from ..fields import AnyJSON, FlagText, IntegerText, NumberText, Object, Text
from .comparison_query import MISSING, Ids, LeastDifference
from .page import NoQuery, OfSplit, PageQuery, StackedQuery
from .run import UsedEvaluatorSerializer


class FiltersQuery(StackedQuery):
    needs = {"evaluator": ["status", "passed", "min", "max", "version"]}

    evaluator = Text(
        required=False,
        help_text="Name or id of the evaluator whose scores `status`, `passed`, `min` and `max` filter. "
        "More filters stack: `min[<name or id>]`, `max[…]`, `passed[…]`, `status[…]`, `metadata[<column>]`.",
    )
    status = serializers.MultipleChoiceField(choices=list(WORDS), required=False)
    passed = serializers.ChoiceField(
        choices=list(filter_params.VERDICTS),
        required=False,
        help_text="`neither` keeps scores between pass and fail, such as those of raters who do not agree.",
    )
    min = NumberText(required=False)
    max = NumberText(required=False)
    search = Text(
        required=False, help_text="A text to find in outputs and examples; case is ignored for ASCII letters."
    )
    version = IntegerText(
        required=False,
        min_value=1,
        max_value=LARGEST_POSITION,
        help_text="Show the scores of this version of `evaluator` (default: the first) instead of the newest.",
    )


class ResultsQuery(PageQuery, FiltersQuery):
    sort = Text(
        required=False, help_text="`position` or an evaluator's name; a leading `-` sorts the highest first."
    )


class ResultScoreSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    passed = serializers.BooleanField(allow_null=True)
    status = serializers.ChoiceField(list(WORDS))
    message = serializers.CharField()


class ResultSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    output = AnyJSON(allow_null=True)
    output_error = serializers.CharField(allow_null=True)
    partial_output = serializers.CharField(
        source="partial",
        allow_null=True,
        help_text="What the server sent that is no answer: the text of a failed one, or the text beside tool calls.",
    )
    reasoning = serializers.CharField(
        allow_null=True, help_text="What the model thought before it answered; never scored."
    )
    scores = serializers.DictField(
        child=ResultScoreSerializer(), help_text="The scores by the name of the evaluator."
    )


class ExplainedSerializer(ResultSerializer):
    """One example with all its data; `detail` explains the score of each evaluator."""

    inputs = AnyJSON()
    reference = AnyJSON()
    metadata = AnyJSON()
    detail = Object()


class ThresholdsQuery(NoQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of an evaluator. Default: the first one."
    )
    verdict = Text(required=False, default="", help_text="A `key` of `verdicts`.")


class PassRatesSerializer(serializers.Serializer[Any]):
    """`pass_rates[i]` of `n` scores pass `thresholds[i]`."""

    run = serializers.IntegerField()
    variant = serializers.CharField()
    n = serializers.IntegerField()
    pass_rates = serializers.ListField(child=serializers.FloatField(allow_null=True))


class VerdictsSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    title = serializers.CharField()


class AgreementSerializer(serializers.Serializer[Any]):
    """How each threshold agrees with the verdicts of `n` examples; `best` has the largest kappa."""

    verdict = serializers.CharField()
    n = serializers.IntegerField()
    precision = serializers.ListField(child=serializers.FloatField(allow_null=True))
    recall = serializers.ListField(child=serializers.FloatField(allow_null=True))
    kappa = serializers.ListField(child=serializers.FloatField(allow_null=True))
    best = serializers.FloatField(allow_null=True)
    interval = floats(allow_null=True)


class ThresholdsSerializer(serializers.Serializer[Any]):
    """A score passes `thresholds[i]` if `score comparison threshold`."""

    evaluator = UsedEvaluatorSerializer()
    comparison = serializers.ChoiceField([">=", ">", "<=", "<"])
    pass_mark = serializers.FloatField(allow_null=True)
    thresholds = floats()
    runs = PassRatesSerializer(many=True)
    verdicts = VerdictsSerializer(many=True, help_text="The available sources of verdicts.")
    agreement = AgreementSerializer(allow_null=True)


class RefusedQuery(NoQuery):
    format = serializers.ChoiceField(["csv", "jsonl"], default="csv")
    safe = FlagText(
        default=True, help_text="false: do not escape cells that a spreadsheet would run as formulas."
    )


class ExportQuery(RefusedQuery):
    needs = {"bom": ["format=csv"]}

    format = serializers.ChoiceField(["csv", "jsonl", "parquet", "xlsx", "json"], default="csv")
    bom = FlagText(
        default=False, help_text="true: CSV begins with a byte order mark, so that Excel recognises UTF-8."
    )


class DatasetExportQuery(ExportQuery):
    split = OfSplit()
    parts = FlagText(
        default=False,
        help_text="true: column names include their part (`inputs.question`), so the file can be uploaded "
        "again without a mapping. In CSV and Parquet, cells of columns that end in `:json` are JSON.",
    )


class RunExportQuery(ExportQuery, FiltersQuery):
    """The query of a run's export: the filters of its results, and a format."""

    needs = ExportQuery.needs | FiltersQuery.needs


class ExperimentExportQuery(ExportQuery, StackedQuery):
    needs = ExportQuery.needs | {
        "evaluator": ["outcome", "different", "least_difference"],
        "missing": ["outcome", "format=xlsx"],
        "runs": ["outcome", "different", "least_difference"],
    }
    is_stacked = staticmethod(filter_params.is_metadata)

    split = OfSplit()
    search = Text(
        required=False, help_text="A text to find in outputs and examples; case is ignored for ASCII letters."
    )
    outcome = serializers.ChoiceField(
        OUTCOMES,
        default="all",
        help_text="Only examples with this outcome, such as those on which a variant is worse than the baseline.",
    )
    different = FlagText(
        default=False, help_text="true: only examples on which an output differs from the baseline's."
    )
    least_difference = LeastDifference()
    evaluator = Text(
        required=False,
        help_text="For `outcome`, `different` and `least_difference`: name or id of an evaluator. "
        "Default: the primary one.",
    )
    missing = serializers.ChoiceField(
        MISSING,
        default="worst",
        help_text="For `outcome`, and for the summary of an xlsx file, as in a comparison.",
    )
    runs = Ids(
        required=False, help_text="For `outcome` and `different`: only these runs; the first is the baseline."
    )
