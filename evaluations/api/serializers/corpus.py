"""Corpus scores as JSON."""

from typing import Any

from rest_framework import serializers

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.errors import Invalid
from evaluations.models import Evaluator
from evaluations.statistics.intervals import PERCENT

from ..answers import Answer, floats
from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import FilteredSerializer


def answer(comparison: Comparison, evaluator: Evaluator | None) -> "CorpusScoresSerializer":
    """The answer of `comparisons/corpus/`, for one evaluator or for all that have corpus scores."""
    corpus_evaluators = corpus_scores.evaluators(comparison)
    if evaluator and evaluator not in corpus_evaluators:
        message = f"“{evaluator.name}” has no corpus score; BLEU and chrF have one."
        raise Invalid("invalid", message, fields={"evaluator": [message]})
    shown = [evaluator] if evaluator else corpus_evaluators
    return CorpusScoresSerializer(
        {
            "baseline": comparison.sides.baseline.run.pk,
            "filtered": comparison,
            "evaluators": [_table(comparison, corpus_evaluator) for corpus_evaluator in shown],
        }
    )


def _table(comparison: Comparison, evaluator: Evaluator) -> tuple[Any, ...]:
    table = corpus_scores.corpus_scores(comparison, evaluator)
    return evaluator, table, [(row, comparison.sides[row.side_index].run) for row in table.scores]


class CorpusScoreSerializer(Answer):
    run = serializers.IntegerField(source="1.pk")
    mean = serializers.FloatField(
        source="0.mean", help_text="The mean of the scores of single examples, from 0 to 1."
    )
    score = serializers.FloatField(
        source="0.score",
        help_text="The score of the corpus, from 0 to 100, as sacrebleu gives it: the run statistic times 100, "
        "averaged over repetitions.",
    )
    difference = serializers.FloatField(
        source="0.difference", allow_null=True, help_text="The score of the run minus that of the baseline."
    )
    interval = floats(
        source="0.interval",
        allow_null=True,
        help_text=(
            f"The {PERCENT} interval of the difference, from the same draws as `p`; it excludes zero if `p` is at "
            "most 0.05."
        ),
    )
    p = serializers.FloatField(
        source="0.p",
        allow_null=True,
        help_text="By approximate randomization with sacrebleu's 10 000 draws, two-sided, for this run alone; null for "
        "a variant that was not repeated as often as the baseline.",
    )


class CorpusTableSerializer(Answer):
    evaluator = ComparedEvaluatorSerializer(source="0")
    signature = serializers.CharField(
        source="1.signature", help_text="The signature of sacrebleu; empty without a score.", allow_blank=True
    )
    examples = serializers.IntegerField(
        source="1.examples",
        help_text="Number of examples that count: those of `total` with n-grams stored or counted again.",
    )
    total = serializers.IntegerField(source="1.total")
    missing = serializers.CharField(
        source="1.missing", allow_null=True, help_text="The sentence that says why there are no scores."
    )
    runs = CorpusScoreSerializer(source="2", many=True)


class CorpusScoresSerializer(Answer):
    """Corpus BLEU and chrF, over the examples that count for every run."""

    baseline = serializers.IntegerField()
    filtered = FilteredSerializer(allow_null=True)
    evaluators = CorpusTableSerializer(many=True)


class CorpusQuery(ComparisonQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of a BLEU or chrF evaluator. Default: all of them."
    )
