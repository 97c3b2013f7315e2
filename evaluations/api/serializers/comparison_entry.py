"""One run of a comparison against the baseline, as JSON."""

from typing import Any, get_args

from rest_framework import serializers

from evaluations.comparisons.figures.entries import Role
from evaluations.comparisons.people.standing import Standing
from evaluations.experiments.about import digest
from evaluations.statistics.intervals import ALPHA, PERCENT
from evaluations.statistics.power import examples_to_decide
from evaluations.statistics.terms import Equivalence, Verdict
from evaluations.values import BETTER

from ..answers import Answer, floats
from .run import UsedEvaluatorSerializer

VERDICTS = get_args(Verdict)
ABOUT_DIGEST = "Digest of `about`. Variants with the same name but different digests are different variants."


class AboutDigest(serializers.CharField):
    """The digest of a description of a variant."""

    def to_representation(self, value: Any) -> str:
        return digest(value)


class Pks(serializers.ListField):
    """The ids of objects."""

    def to_representation(self, data: Any) -> list[Any]:
        return [row.pk for row in data]


class ExamplesNeeded(serializers.IntegerField):
    """Of a difference, how many more examples would decide it."""

    def to_representation(self, value: Any) -> Any:
        return examples_to_decide(value)


class ComparedEvaluatorSerializer(Answer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class FewGroupsSerializer(Answer):
    column = serializers.CharField()
    groups = serializers.IntegerField(help_text="The number of values.")
    interval = floats(help_text=f"The {PERCENT} interval with the groups as a sample.")


class EntrySerializer(Answer):
    """One run against the baseline, by one evaluator. Figures that cannot be computed are null; `reason` says why."""

    run = serializers.IntegerField(source="run.pk")
    runs = Pks(child=serializers.IntegerField(), help_text="Several runs if `repeats` combined them.")
    variant = serializers.CharField(source="run.variant")
    about_digest = AboutDigest(source="run.about", help_text=ABOUT_DIGEST)
    evaluator = ComparedEvaluatorSerializer()
    role = serializers.ChoiceField(get_args(Role))
    direction = serializers.ChoiceField([*BETTER], source="paired.direction")
    mean = serializers.FloatField(source="paired.mean", allow_null=True)
    baseline_mean = serializers.FloatField(source="paired.baseline_mean", allow_null=True)
    n = serializers.IntegerField(
        source="paired.n", help_text="The number of pairs, including those in `imputed`."
    )
    imputed = serializers.IntegerField(
        source="paired.imputed", help_text="Pairs in which an unanswered example counts as worst."
    )
    only_run = serializers.IntegerField(source="leftover.only_run")
    only_baseline = serializers.IntegerField(source="leftover.only_baseline")
    missing = serializers.IntegerField(source="leftover.missing")
    error = serializers.IntegerField(source="leftover.error")
    not_common = serializers.IntegerField(
        source="leftover.not_common",
        help_text="Pairs excluded because another ranked run has no score there.",
    )
    difference = serializers.FloatField(source="paired.difference", allow_null=True)
    interval = floats(
        source="paired.interval",
        allow_null=True,
        help_text=(
            f"The joint {PERCENT} interval of the family; it excludes zero exactly if the verdict is better or "
            "worse."
        ),
    )
    interval_single = floats(
        source="paired.interval_single",
        allow_null=True,
        help_text=f"The {PERCENT} interval for this comparison alone.",
    )
    interval_method = serializers.CharField(source="paired.interval_method", allow_null=True)
    effect_size = serializers.FloatField(source="paired.effect_size", allow_null=True)
    p = serializers.FloatField(
        source="paired.p", allow_null=True, help_text="The p value for this comparison alone."
    )
    p_corrected = serializers.FloatField(
        source="paired.p_corrected", allow_null=True, help_text="The p value, corrected for the family."
    )
    method = serializers.CharField(source="paired.method", allow_null=True)
    reason = serializers.CharField(source="paired.reason", allow_null=True)
    seed = serializers.IntegerField(
        source="paired.seed",
        allow_null=True,
        help_text="Seed of the family's draws: a digest of its differences.",
    )
    wins = serializers.IntegerField(source="paired.wins")
    losses = serializers.IntegerField(source="paired.losses")
    ties = serializers.IntegerField(source="paired.ties")
    tie_tolerance = serializers.FloatField(source="paired.tie_tolerance")
    smallest_detectable = serializers.FloatField(source="paired.smallest", allow_null=True)
    examples_needed = ExamplesNeeded(
        source="paired",
        allow_null=True,
        help_text="How many more examples would decide with 80 % power, if the true difference is the margin, "
        "or without a margin the observed difference. Null if the verdict is clear, or if no number is "
        "enough.",
    )
    verdict = serializers.ChoiceField(VERDICTS, source="paired.verdict", allow_null=True)
    margin = serializers.FloatField(
        source="paired.margin", allow_null=True, help_text="The smallest difference that matters."
    )
    equivalence = serializers.ChoiceField(get_args(Equivalence), source="paired.equivalence", allow_null=True)
    overturned_by = serializers.IntegerField(
        source="paired.overturned_by",
        allow_null=True,
        help_text="How many unseen examples with the largest possible loss would change the verdict. Null without a "
        "clear verdict, for pass and fail, and for scores without a declared range.",
    )
    comparisons_made = serializers.IntegerField(
        allow_null=True,
        help_text="The number of this candidate among all whose outputs were ever compared on the dataset, from 1, "
        "also after runs were deleted. Null if it was not counted: the baseline's variant, and runs of before.",
    )
    p_online = serializers.FloatField(
        allow_null=True,
        help_text="The corrected p of the primary evaluator with all earlier comparisons taken into account: “better” "
        f"is confirmed if it is at most {ALPHA}. An information; the verdict does not depend on it.",
    )
    statistic = serializers.CharField(allow_null=True, help_text="The compared statistic; null for the mean.")
    labels = serializers.IntegerField(
        source="helped.labels",
        default=None,
        allow_null=True,
        help_text="Examples that people labelled, where their labels are helped by an evaluator; else null.",
    )
    judged = serializers.IntegerField(
        source="helped.judged",
        default=None,
        allow_null=True,
        help_text="Examples that the evaluator judged, or that the parts of a weighed sample hold.",
    )
    saved = serializers.IntegerField(
        source="helped.saved",
        default=None,
        allow_null=True,
        help_text="How many of the labels the evaluator saved; 0 if it saved none.",
    )
    labels_only = floats(
        source="helped.alone",
        default=None,
        allow_null=True,
        help_text=f"The {PERCENT} interval of this comparison alone from the labels without the evaluator.",
    )
    helper = UsedEvaluatorSerializer(
        default=None, allow_null=True, help_text="The evaluator that helped people's labels."
    )
    standing = serializers.ChoiceField(
        get_args(Standing),
        allow_null=True,
        help_text="`people`: labels; `weighted`: labels weighed by the parts of their sample; `reading`: labels that "
        "are no estimates; `held`: checked against people, its passport says what it is worth; `not_held`: a judge of "
        "which nobody knows that. Null for other evaluators.",
    )
    few_groups = FewGroupsSerializer(
        allow_null=True,
        help_text="A metadata column of three to nine values under which the verdict would not survive if its values "
        "are a sample. Name it with `cluster` to use it.",
    )
