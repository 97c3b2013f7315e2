"""What a comparison says of each side: its rank, how many examples it answered, latency and cost."""

from collections.abc import Iterator
from typing import NamedTuple

from rest_framework import serializers

from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.terms import Difference, Interval

from ..answers import Answer, floats, integers
from .comparison_entry import ABOUT_DIGEST, VERDICTS, AboutDigest


class LeadSerializer(Answer):
    difference = serializers.FloatField(allow_null=True)
    interval = floats(allow_null=True)


class RankedSerializer(Answer):
    """A run's rank by the primary evaluator, over the examples that all ranked runs have."""

    run = serializers.IntegerField(source="side.run.pk")
    variant = serializers.CharField(source="side.run.variant")
    about_digest = AboutDigest(source="side.run.about", help_text=ABOUT_DIGEST)
    mean = serializers.FloatField(allow_null=True)
    rank = integers(help_text="The best and the worst rank that the run can have.")
    group = serializers.CharField(help_text="There is no clear difference between runs that share a letter.")
    shrunken = serializers.FloatField(
        allow_null=True,
        help_text="The mean to expect on fresh examples, pulled towards the average of all ranked runs, because the "
        "best of several is partly lucky. Null for fewer than three runs.",
    )
    lead = LeadSerializer(allow_null=True, help_text="The difference to the next run.")


class Answered(NamedTuple):
    """How many examples a side answered."""

    side: Side
    answered: int
    of: int


class AnswersSerializer(Answer):
    run = serializers.IntegerField(source="side.run.pk")
    answered = serializers.IntegerField()
    of = serializers.IntegerField()


def answered(comparison: Comparison) -> Iterator[Answered]:
    """How many examples each variant answered; none without scores."""
    if comparison.evaluators:
        measures = comparison.figures.measures
        yield from map(Answered, comparison.sides, measures.answered, measures.examples)


class Measured(NamedTuple):
    """A measure of one side, and its difference from the baseline."""

    side: Side
    measure: str
    mean: float | None
    mean_interval: Interval | None
    paired: Difference | None


class MeasureSerializer(Answer):
    """A comparison of the answered share, the latency (ms) or the cost per answer (in the currency of the project).

    The baseline has only a mean.
    """

    run = serializers.IntegerField(source="side.run.pk")
    measure = serializers.ChoiceField(["answers", "latency", "cost", "tokens", "prompt_tokens"])
    mean = serializers.FloatField(allow_null=True)
    mean_interval = floats(allow_null=True, help_text=f"The {PERCENT} interval of this mean alone.")
    difference = serializers.FloatField(source="paired.difference", allow_null=True)
    interval = floats(source="paired.interval", allow_null=True)
    p = serializers.FloatField(source="paired.p_corrected", allow_null=True)
    n = serializers.IntegerField(source="paired.n", allow_null=True, help_text="The number of pairs.")
    verdict = serializers.ChoiceField(VERDICTS, source="paired.verdict", allow_null=True)


def measured(comparison: Comparison) -> Iterator[Measured]:
    """The answers, latency and cost of each variant; none without scores."""
    for measure in comparison.figures.measures.measures if comparison.evaluators else []:
        rows = zip(comparison.sides, measure.means, measure.intervals, measure.comparisons, strict=True)
        for side, mean, interval, paired in rows:
            yield Measured(side, measure.name, mean, interval, paired)
