"""Runs with progress, figures and usage as JSON, and their outputs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.models import Run
from evaluations.statistics.intervals import PERCENT
from evaluations.values import LARGEST_POSITION, LONGEST_NAME, MOST_EVALUATORS

from ..answers import Answer, floats, integers
from ..fields import (
    AnyJSON,
    Flag,
    FlagText,
    Id,
    IntegerText,
    Key,
    Name,
    Object,
    ObjectText,
    Rows,
    Strict,
    Text,
)
from .page import PageQuery
from .price import Amount, Cost, PaidScoreSerializer, PaidSerializer
from .reading import ReadingSerializer
from .split import NamedSplitSerializer, SplitName

OUTPUT = {
    "key": (str, int),
    "position": (int,),
    "output": (),
    "error": (str,),
    "latency_ms": (int,),
    "tokens": (int,),
    "scores": (dict,),
}


class HistogramSerializer(Answer):
    """`counts[i]` values lie in [edges[i], edges[i + 1]); the last bin includes its upper edge."""

    edges = floats()
    counts = integers()


class CountsSerializer(Answer):
    total = serializers.IntegerField()
    scored = serializers.IntegerField()
    missing_expected = serializers.IntegerField()
    missing_actual = serializers.IntegerField()
    unmapped = serializers.IntegerField()
    error = serializers.IntegerField()
    not_found = serializers.IntegerField(
        help_text="Examples in whose output the reading steps found no answer; their score is the worst one."
    )
    not_sent = serializers.IntegerField(
        help_text="Examples for which nobody sent a score, or that nobody paid a judge or embeddings for."
    )
    no_verdict = serializers.IntegerField(
        help_text="Examples about which a judge answered without a verdict; this is never a zero."
    )


class SummarySerializer(Answer):
    """The summary of a column of scores; figures are null if there are no values. `n` examples have a value."""

    n = serializers.IntegerField()
    counts = CountsSerializer()
    mean = serializers.FloatField(allow_null=True)
    sd = serializers.FloatField(allow_null=True)
    min = serializers.FloatField(allow_null=True)
    p10 = serializers.FloatField(allow_null=True, help_text="A tenth of the scores is at most this.")
    median = serializers.FloatField(allow_null=True)
    p90 = serializers.FloatField(allow_null=True, help_text="A tenth of the scores is at least this.")
    max = serializers.FloatField(allow_null=True)
    pass_rate = serializers.FloatField(allow_null=True)
    n_passed = serializers.IntegerField()
    n_judged = serializers.IntegerField()
    histogram = HistogramSerializer(allow_null=True)
    truncated = serializers.IntegerField(allow_null=True)


class UsedEvaluatorSerializer(Answer):
    id = serializers.IntegerField(source="evaluator.pk")
    version = serializers.IntegerField(source="number")
    name = serializers.CharField(source="evaluator.name")
    kind = serializers.CharField()


class UsageSerializer(Answer):
    """The use of a server by an evaluator: stored vectors, requests, tokens and their cost."""

    hits = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens = serializers.IntegerField()
    cost = serializers.FloatField(
        allow_null=True, help_text="The cost at the connection's price; null if there is no price."
    )


class HeadlineSerializer(Answer):
    name = serializers.CharField()
    title = serializers.CharField()
    value = serializers.FloatField()
    interval = floats(allow_null=True)


class ComparedMeanSerializer(Answer):
    n = serializers.IntegerField()
    mean = serializers.FloatField()
    interval = floats(allow_null=True)


class ScoringSerializer(SummarySerializer):
    """The figures of one evaluator on a run; until its job ends, over the examples scored so far, and some are null."""

    evaluator = UsedEvaluatorSerializer()
    interval = floats(
        allow_null=True, help_text=f"Both ends of the mean's {PERCENT} interval; null until the job ends."
    )
    half_interval = serializers.FloatField(
        allow_null=True, help_text="Half the width of `interval`; the mean may be off its centre."
    )
    headline = HeadlineSerializer(
        allow_null=True,
        help_text="The run statistic by which runs are compared; null for the mean, and until the job ends.",
    )
    compared = ComparedMeanSerializer(
        allow_null=True,
        help_text="The mean as comparisons count it, with unanswered and unreadable examples as worst where "
        "scores have a worst end, and without examples that have no reference; null where `mean` is this already.",
    )
    usage = UsageSerializer(
        allow_null=True, help_text="Null until the job ends, and for kinds that call no server."
    )


class ProgressSerializer(Answer):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True, help_text="Examples per second.")
    seconds_left = serializers.FloatField(allow_null=True)
    again = serializers.IntegerField(
        help_text="Examples that are scored one by one, behind other work, because scoring them took too long or ended "
        "a worker."
    )


class LatencySerializer(Answer):
    """The latency in milliseconds that 50 % and 95 % of the answers do not exceed."""

    p50 = serializers.IntegerField(allow_null=True)
    p95 = serializers.IntegerField(allow_null=True)


class UnknownSerializer(Answer):
    """How many answers are missing from the sums because their tokens or prices are unknown."""

    tokens = serializers.IntegerField(source="without_tokens")
    cost = serializers.IntegerField(source="without_cost")


class GenerationUsageSerializer(Answer):
    """Calls, tokens, cost and latency of generated outputs. An unknown sum is null; cached answers do not count."""

    answers = serializers.IntegerField()
    cached = serializers.IntegerField(help_text="Answers from the cache.")
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField(allow_null=True)
    tokens_out = serializers.IntegerField(allow_null=True)
    tokens_cached = serializers.IntegerField(allow_null=True, help_text="A part of tokens_in.")
    tokens_reasoning = serializers.IntegerField(allow_null=True, help_text="A part of tokens_out.")
    cost = Cost(allow_null=True, help_text="In the currency of the project.")
    latency_ms = LatencySerializer(source="*")
    unknown = UnknownSerializer(source="*")


@extend_schema_field({"type": "object", "additionalProperties": {}})
class About(Object):
    """Facts about the variant: prompt, model, parameters and others."""

    def __init__(self, **options: Any):
        text = "What describes the variant: prompt, prompt_version, model, parameters, commit, link, notes and others."
        super().__init__(help_text=text, **options)


class RunSerializer(Answer):
    """A run with its progress and figures."""

    id = serializers.IntegerField(source="run.pk")
    experiment = serializers.IntegerField(source="run.experiment_id")
    variant = serializers.CharField(source="run.variant")
    earlier_runs = integers(
        help_text="Earlier runs whose variant has this name in the experiment, the newest last. Those of the same "
        "`about` are repetitions of one variant; comparisons take the newest run of each."
    )
    status = serializers.ChoiceField(Run.Status.choices, source="run.status")
    for_gate = serializers.BooleanField(
        source="run.for_gate", help_text="Sent for a gate: no variant of its experiment."
    )
    progress = ProgressSerializer()
    scorings = ScoringSerializer(many=True)
    output_count = serializers.IntegerField(source="run.output_count")
    outputs_note = Object(
        source="run.outputs_note",
        help_text="How a file's rows matched: matched, missing, extra, first_extra_lines, left_out (columns); "
        "`reading` while a file with several runs fills it.",
    )
    about = About(source="run.about")
    usage = GenerationUsageSerializer(allow_null=True, help_text="Null for uploaded outputs.")
    split = NamedSplitSerializer(source="run.split", allow_null=True)
    asked_examples = serializers.IntegerField(
        allow_null=True,
        help_text="The number of examples of its split or sample, or of those before its dataset got others; null: all "
        "examples of its dataset version.",
    )
    asked_version = serializers.IntegerField(
        source="run.asked_version",
        allow_null=True,
        help_text="The dataset version all of whose examples it was asked, if its experiment uses another one since.",
    )
    stopped_early_of = serializers.IntegerField(
        allow_null=True,
        help_text="The number of examples it would have without stopping early; null if it did not stop early.",
    )
    error = Object(allow_null=True)
    created_at = serializers.DateTimeField(source="run.created_at")
    queued_at = serializers.DateTimeField(source="run.queued_at", allow_null=True)
    started_at = serializers.DateTimeField(source="run.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="run.finished_at", allow_null=True)


class Whole(serializers.IntegerField):
    def __init__(self, **options: Any):
        super().__init__(**{"min_value": 0, "max_value": LARGEST_POSITION, "allow_null": True} | options)


class NewOutputSerializer(Strict):
    """One output; `key` or `position` identifies its example."""

    key = Key(required=False, allow_null=True)
    position = Whole(required=False, min_value=1)
    output = AnyJSON(required=False, allow_null=True)
    error = Text(required=False, allow_null=True)
    latency_ms = Whole(required=False)
    tokens = Whole(required=False)
    scores = Object(required=False, help_text="Outside scores, by name; evaluators read them at $.scores.")


@extend_schema_field(NewOutputSerializer(many=True))
class Outputs(Rows):
    def __init__(self, **options: Any):
        super().__init__(kinds=OUTPUT, **options)


FOR_GATE = (
    "true: a pipeline sends it to be checked by a gate. It is no variant of its experiment: it changes no family, "
    "ranking, subsets, trends or leaderboard."
)
FACTS = ("variant", "about", "for_gate")  # fields of both bodies that are stored with the run


class NewRunSerializer(PaidSerializer):
    experiment = Id()
    variant = Name()
    outputs = Outputs(required=False, default=list)
    column = Text(
        required=False, max_length=10_000, help_text="A metadata column of the dataset that has the outputs."
    )
    start = Flag(required=False, default=True)
    about = About(required=False)
    split = SplitName(required=False, help_text="The outputs are for the examples of this split only.")
    for_gate = Flag(default=False, help_text=FOR_GATE)
    estimate_only = Flag(
        default=False,
        help_text="true: check the outputs, say what embeddings and judges would cost, and store nothing.",
    )


class RunChangeSerializer(Strict):
    about = About(required=False)
    for_gate = Flag(required=False, help_text="false: count it among the variants; true: keep it apart.")


class OutputsSerializer(Strict):
    outputs = Outputs()


class StoredSerializer(serializers.Serializer[Any]):
    stored = serializers.IntegerField()
    output_count = serializers.IntegerField()


class RunUploadSerializer(ReadingSerializer):
    """A file of outputs; `mapping` is JSON: {"output": column, "key" or "position": column, "scores": {name: column}}.
    Columns may be paths into columns. Instead of a key, {"inputs": {name: column}} matches rows by equal inputs;
    without any of them rows are matched in order. Of rows that give an example a second output, {"keep": "first"} or
    "last" says which counts; without it they are refused. By default the file is read as the one that brought the
    experiment's first outputs.

    With `long` instead of `mapping`, a file with several outputs for each example: each variant or repetition in
    it is a run like the one that is answered, with the same `about` and `split`. Its `id` is the column with keys;
    with positions if it is called position.
    """

    file = serializers.FileField(allow_empty_file=True)
    experiment = IntegerText()
    variant = Name(
        required=False,
        help_text="Needed with a mapping, unless the rows name their variants. Default without one: the model that "
        "the file names, or what sets its name apart from that of the first file.",
    )
    mapping = ObjectText(required=False)
    start = FlagText(required=False, default=True)
    about = ObjectText(required=False, default="{}", help_text="The description of the variant, as JSON.")
    split = Text(
        required=False,
        max_length=LONGEST_NAME,
        help_text="The outputs are for the examples of this split only.",
    )
    for_gate = FlagText(required=False, default=False, help_text=FOR_GATE)
    budget = Amount(required=False, help_text="What evaluators that call a server may spend, such as 0.50.")
    max_calls = IntegerText(required=False, min_value=1, help_text="How many calls they may make.")
    estimate_only = FlagText(
        required=False,
        default=False,
        help_text="true: say what embeddings and judges would cost for an output of each example, and store nothing.",
    )


class NewScoringsSerializer(PaidSerializer):
    evaluators = serializers.ListField(child=Id(), min_length=1, max_length=MOST_EVALUATORS)
    only = serializers.ChoiceField(["errors"], required=False)
    estimate_only = Flag(
        required=False, help_text="true: only say what embeddings and judges would cost; nothing is scored."
    )


class PaidScoresSerializer(serializers.Serializer[Any]):
    estimates = PaidScoreSerializer(many=True)


class RunStartSerializer(Strict):
    budget = Amount(
        required=False,
        help_text="What evaluators that call a server may spend, such as 0.50. Without money they call it only if some "
        "was named for the draft.",
    )
    max_calls = serializers.IntegerField(
        required=False, min_value=1, help_text="How many calls they may make, for models without a price."
    )


class RunRetrySerializer(Strict):
    cause = Text(
        required=False,
        help_text="The code of an error, such as timeout; answers with other errors are not retried.",
    )


class RunsQuery(PageQuery):
    experiment = IntegerText(required=False)
    variant = Text(required=False)
    status = serializers.ChoiceField(Run.Status.choices, required=False)
    for_gate = FlagText(
        required=False, help_text="true: only runs sent for a gate; false: only those of variants."
    )
