"""Judgings, their verdicts, and what is known of a judge."""

from typing import Any

from rest_framework import serializers

from evaluations.judges import checks, judgings, progress
from evaluations.judges.checks import Known
from evaluations.models import Judging
from evaluations.statistics.intervals import PERCENT
from evaluations.values import LARGEST_ID

from ..answers import Answer, floats, integers
from ..fields import AnyJSON, Id, IntegerText, Object, Strict
from .evaluator import KindKey
from .page import PageQuery
from .price import Amount, Cost

PURPOSES = ["try", "repeats", "attacks"]


class JudgingsQuery(PageQuery):
    run = IntegerText(required=False, min_value=1, max_value=LARGEST_ID)
    evaluator = IntegerText(required=False, min_value=1, max_value=LARGEST_ID)
    purpose = serializers.ChoiceField([purpose.value for purpose in Judging.Purpose], required=False)


class NewJudgingSerializer(Strict):
    """A judge is asked about a few answers: a saved one by `evaluator`, or a rubric that you try by `kind`, `config`
    and `connection`. `budget` or `max_calls` is what may be spent.
    """

    purpose = serializers.ChoiceField(PURPOSES)
    run = Id()
    positions = serializers.ListField(
        child=serializers.IntegerField(min_value=1), min_length=1, max_length=judgings.MOST_REPEATED
    )
    evaluator = Id(required=False)
    kind = KindKey(required=False, default="judge")
    config = Object(required=False)
    connection = Id(required=False)
    against = Id(required=False, help_text="The run of the other variant, for a judge of pairs.")
    budget = Amount(required=False)
    max_calls = serializers.IntegerField(required=False, min_value=1)


class JudgingProgressSerializer(Answer):
    """Of `total` questions: those with a verdict, answered without one, and failed. `cached` ones cost nothing."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    given = serializers.IntegerField()
    none = serializers.IntegerField()
    failed = serializers.IntegerField()
    cached = serializers.IntegerField()
    cost = Cost(allow_null=True)


class AttacksSerializer(Answer):
    """Of `asked` answers that try to talk the judge round, `withstood` did not get the best verdict."""

    asked = serializers.IntegerField()
    withstood = serializers.IntegerField()
    won = integers()


class JudgingSerializer(Answer):
    """A judge reads answers of a run. `spent` is the cost of finished calls plus the most that those in progress cost;
    runs that were asked for together share their budget.
    """

    id = serializers.IntegerField(source="pk")
    run = serializers.IntegerField(source="run_id")
    evaluator = serializers.IntegerField(source="version.evaluator_id", allow_null=True)
    version = serializers.IntegerField(source="version.number", allow_null=True)
    purpose = serializers.CharField()
    against = serializers.IntegerField(source="against_id", allow_null=True)
    status = serializers.CharField()
    error = AnyJSON(allow_null=True)
    progress = serializers.SerializerMethodField()
    attacks = serializers.SerializerMethodField()
    budget = Cost(source="budget.limit", allow_null=True)
    max_calls = serializers.IntegerField(source="budget.max_calls", allow_null=True)
    spent = Cost(source="budget.committed")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_progress(self, judging: Judging) -> dict[str, Any]:
        return dict(JudgingProgressSerializer(progress.of(judging)).data)

    def get_attacks(self, judging: Judging) -> dict[str, Any] | None:
        if judging.purpose != Judging.Purpose.ATTACKS:
            return None
        return dict(AttacksSerializer(checks.tally(judging)).data)


class ReadingSerializer(Answer):
    """An evaluator that calls a server with the money of a launch, run after run as they are complete."""

    evaluator = serializers.IntegerField(source="evaluator.pk")
    runs = serializers.IntegerField(help_text="The runs that it may score.")
    status = serializers.ChoiceField(choices=("waiting", *Judging.Status.values))
    done = serializers.IntegerField(help_text="Questions or answers so far, of `total`.")
    total = serializers.IntegerField()
    cost = Cost(allow_null=True)
    problem = serializers.CharField(help_text="Why a request of it failed; empty if none did.")


class VerdictsQuery(PageQuery):
    evaluator = IntegerText(min_value=1, max_value=LARGEST_ID)


class VerdictSerializer(Answer):
    """One answer of a judge, as it was paid: what it said, how it was read, and what it cost."""

    id = serializers.IntegerField(source="pk")
    example = serializers.IntegerField(
        help_text="The identity of the example: the position at which it began."
    )
    version = serializers.IntegerField(source="version.number", allow_null=True)
    sample = serializers.IntegerField()
    swapped = serializers.BooleanField(help_text="Whether a pair was shown in the other order.")
    attack = serializers.IntegerField(
        help_text="The number of the attack that was judged; 0 for a real answer."
    )
    state = serializers.CharField(help_text="given, none (answered without a verdict) or failed (the call).")
    verdict = serializers.CharField(source="label", allow_null=True)
    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    text = serializers.CharField(allow_null=True, help_text="The whole answer of the model.")
    problem = serializers.CharField()
    model = serializers.CharField()
    tokens_in = serializers.IntegerField(allow_null=True)
    tokens_out = serializers.IntegerField(allow_null=True)
    cost = Cost(allow_null=True)
    calls = serializers.IntegerField()
    cached = serializers.BooleanField(help_text="Paid by an earlier request, and not again.")
    at = serializers.DateTimeField(source="created_at")


class RepeatabilitySerializer(Answer):
    """How the model that was asked again last repeats itself; verdicts of another model are not mixed in."""

    asked = serializers.IntegerField(help_text="Answers that it judged more than once.")
    changed = serializers.IntegerField(help_text="Of these, those that got more than one verdict.")
    samples = serializers.IntegerField()
    model = serializers.CharField(help_text="Its name in these verdicts; empty if none was asked again.")


class OrderSerializer(Answer):
    pairs = serializers.IntegerField(help_text="Pairs judged in both orders.")
    agreed = serializers.IntegerField(help_text="Of these, those with the same winner twice.")
    first = serializers.IntegerField(help_text="Wins of whichever answer was shown first.")
    wins = serializers.IntegerField(help_text="Verdicts with a winner.")
    share = serializers.FloatField(
        allow_null=True, help_text="`first` of `wins`: a half without a liking for an order."
    )
    interval = floats(help_text=f"The exact {PERCENT} interval of `share`.")


class JudgeDriftSerializer(Answer):
    """The last repeats about answers that people labelled. Those sealed for this version are left out."""

    at = serializers.DateTimeField()
    model = serializers.CharField()
    labels = serializers.IntegerField()
    before = serializers.IntegerField(help_text="Answers on which the judge first agreed with people.")
    now = serializers.IntegerField(help_text="Those on which it agrees now.")
    lost = serializers.IntegerField()
    gained = serializers.IntegerField()
    p = serializers.FloatField(help_text="McNemar's exact test.")
    fell = serializers.BooleanField(help_text="Whether it clearly agrees less: then `judge.drifted` is sent.")


class ChecksSerializer(Answer):
    """What was tried on a judge. `models` are the names in its answers, in order of appearance."""

    version = serializers.IntegerField(source="version.number")
    models = serializers.SerializerMethodField()
    repeatability = RepeatabilitySerializer(source="repeats")
    order = OrderSerializer()
    attacks = AttacksSerializer(allow_null=True)
    drift = JudgeDriftSerializer(allow_null=True)

    def get_models(self, known: Known) -> list[str]:
        return [model.model for model in known.models]
