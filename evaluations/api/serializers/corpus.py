"""Corpus scores as JSON."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusScores
from evaluations.errors import Invalid
from evaluations.models import Evaluator

from ..fields import Text
from .comparison_entry import ComparedEvaluatorSerializer
from .comparison_query import ComparisonQuery
from .comparison_shape import FilteredSerializer


def as_dict(comparison: Comparison, evaluator: Evaluator | None, references: str) -> dict[str, Any]:
    """The answer of `comparisons/corpus/`, for one evaluator or for all that have corpus scores."""
    corpus_evaluators = corpus_scores.evaluators(comparison)
    if evaluator and evaluator not in corpus_evaluators:
        raise _invalid("evaluator", f"“{evaluator.name}” has no corpus score; BLEU and chrF have one.")
    further = [name.strip() for name in references.split(",") if name.strip()]
    for name in further:
        if name not in corpus_scores.reference_columns(comparison):
            raise _invalid("references", f"“{name[:200]}” is not another reference column of the dataset.")
    if further and evaluator and corpus_scores.reads_several(comparison, evaluator):
        raise _invalid(
            "references", f"The mapping of “{evaluator.name}” already names all of its references."
        )
    return {
        "baseline": comparison.sides.baseline.run.pk,
        "filtered": FilteredSerializer().to_representation(comparison),
        "evaluators": [
            _table(
                comparison,
                corpus_evaluator,
                corpus_scores.corpus_scores(comparison, corpus_evaluator, further),
            )
            for corpus_evaluator in ([evaluator] if evaluator else corpus_evaluators)
        ],
    }


def _table(comparison: Comparison, evaluator: Evaluator, table: CorpusScores) -> dict[str, Any]:
    rows = [asdict(row) | {"interval": row.interval and list(row.interval)} for row in table.scores]
    runs = [{"run": comparison.sides[row.pop("side_index")].run.pk} | row for row in rows]
    return {
        "evaluator": {"id": evaluator.pk, "name": evaluator.name},
        "signature": table.signature,
        "examples": table.examples,
        "total": table.total,
        "sampled": table.is_sample,
        "runs": runs,
    }


def _invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid", message, fields={field: [message]})


class CorpusScoreSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    mean = serializers.FloatField(help_text="The mean of the scores of single examples, from 0 to 1.")
    score = serializers.FloatField(help_text="The score of the corpus, from 0 to 100, as sacrebleu gives it.")
    difference = serializers.FloatField(
        allow_null=True, help_text="The score of the run minus that of the baseline."
    )
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text=(
            "The 95 % interval of the difference, from the same draws as `p`; it excludes zero if `p` is at "
            "most 0.05."
        ),
    )
    p = serializers.FloatField(
        allow_null=True,
        help_text="By approximate randomization with sacrebleu's 10 000 draws, two-sided, for this run alone.",
    )


class CorpusTableSerializer(serializers.Serializer[Any]):
    evaluator = ComparedEvaluatorSerializer()
    signature = serializers.CharField(
        help_text="The signature of sacrebleu; empty without a score.", allow_blank=True
    )
    examples = serializers.IntegerField(
        help_text="Number of scored examples: those of `total` with a reference, or a sample of them."
    )
    total = serializers.IntegerField()
    sampled = serializers.BooleanField(
        help_text="Whether the examples are a random sample. They are if more than 10 000 outputs have no "
        "stored counts: with `references`, or with scores older than stored counts."
    )
    runs = CorpusScoreSerializer(many=True)


class CorpusScoresSerializer(serializers.Serializer[Any]):
    """Corpus BLEU and chrF, over the examples that count for every run."""

    baseline = serializers.IntegerField()
    filtered = FilteredSerializer(allow_null=True)
    evaluators = CorpusTableSerializer(many=True)


class CorpusQuery(ComparisonQuery):
    evaluator = Text(
        required=False, default="", help_text="Name or id of a BLEU or chrF evaluator. Default: all of them."
    )
    references = Text(
        required=False,
        default="",
        help_text="Further reference columns, separated by commas, for evaluators that read one. Evaluators "
        "with `many: references` in their mapping use the references named there.",
    )
