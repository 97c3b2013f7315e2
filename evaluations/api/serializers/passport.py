"""The passport of an evaluator, and the agreement of people and evaluators on a label set."""

from rest_framework import serializers

from evaluations.comparisons.people.ranking import AgreesBest
from evaluations.labelling import sealing

from ..answers import Answer, floats, integers, strings
from ..fields import Id, IntegerText, Strict, Text
from .agreement import CoefficientSerializer
from .judging import JudgeDriftSerializer, OrderSerializer
from .page import NoQuery
from .run import UsedEvaluatorSerializer


class PassportQuery(NoQuery):
    label_set = IntegerText(
        required=False, help_text="The id of a label set. Default: the one with the most labels of its runs."
    )


class OpenPassportSerializer(Strict):
    label_set = Id(help_text="The id of the label set whose sealed labels are opened.")


class ErrorRateSerializer(Answer):
    """Of `of` answers that people gave a class, the evaluator gave it to `count`; of `pass` this is sensitivity, of
    `fail` specificity. Shares of an answer come from several raters."""

    count = serializers.FloatField()
    of = serializers.FloatField()
    value = serializers.FloatField(allow_null=True)
    interval = floats(allow_null=True)


class AgreementFiguresSerializer(Answer):
    """Agreement on `n` answers: raw, Cohen's κ (with squared weights for scales) and Gwet's AC1, with 95 % intervals.

    `rates` and `table` follow `classes`; a row of the table is what people said."""

    n = serializers.IntegerField()
    agreed = serializers.FloatField()
    raw = CoefficientSerializer()
    kappa = CoefficientSerializer()
    ac1 = CoefficientSerializer()
    rates = ErrorRateSerializer(many=True)
    table = serializers.ListField(child=floats())


class UnsealSerializer(Strict):
    reason = Text(max_length=sealing.LONGEST_REASON, help_text="Why; every passport shows it.")


class UnsealingSerializer(Answer):
    """When somebody let everybody read what judges said about the sealed labels of a set."""

    label_set = serializers.IntegerField(source="label_set_id")
    reason = serializers.CharField()
    unsealed_at = serializers.DateTimeField()


class LabelPartSerializer(Answer):
    """A part of the labels: `write`, `tune` or `sealed`. `agreement` is null while the part is sealed."""

    name = serializers.CharField()
    answers = serializers.IntegerField()
    agreement = AgreementFiguresSerializer(allow_null=True)


class VariantAgreementSerializer(Answer):
    run = serializers.IntegerField(source="run.pk")
    variant = serializers.CharField(source="name")
    agreement = AgreementFiguresSerializer()


class LengthBiasSerializer(Answer):
    """The factor by which the odds of passing rise when an answer is twice as long, at equal labels of people."""

    odds = serializers.FloatField()
    interval = floats()
    n = serializers.IntegerField()


class OpeningSerializer(Answer):
    version = serializers.IntegerField(source="version.number")
    opened_at = serializers.DateTimeField()
    labels = serializers.IntegerField()
    agreed = serializers.FloatField()


class RepeatsSerializer(Answer):
    """Of `asked` answers that were judged more than once, `changed` got more than one verdict."""

    asked = serializers.IntegerField()
    changed = serializers.IntegerField()


class WithstoodSerializer(Answer):
    """Of `asked` orders hidden in answers, `withstood` did not get their way; `won` are the numbers of others."""

    asked = serializers.IntegerField()
    withstood = serializers.IntegerField()
    won = integers()


class PassportSerializer(Answer):
    """`held` says whether this version is checked against people: its sealed labels are opened, at least 30 of them.

    Until then `sealed`, `variants`, `alpha`, `alone` and `length` are empty. `peers` is how well people agree with each
    other; null where no two labelled the same answer.
    """

    evaluator = UsedEvaluatorSerializer(source="version")
    label_set = UsedEvaluatorSerializer(source="labels_version")
    held = serializers.BooleanField(source="is_held")
    worthless = serializers.BooleanField(source="is_worthless", help_text="Its κ is not clearly above 0.")
    sentence = serializers.CharField()
    classes = strings()
    threshold = serializers.FloatField(
        allow_null=True, help_text="The score that passes, chosen on the labels that are not sealed."
    )
    parts = LabelPartSerializer(many=True)
    sealed = AgreementFiguresSerializer(allow_null=True)
    variants = VariantAgreementSerializer(many=True)
    unequal = strings(help_text="Variants on which it errs otherwise than on the first.")
    peers = AgreementFiguresSerializer(allow_null=True)
    alpha = CoefficientSerializer(help_text="Krippendorff's α of all raters and the evaluator.")
    alpha_of_people = CoefficientSerializer()
    alone = floats(
        allow_null=True,
        help_text="The mean verdict of the evaluator, and that of people, on the sealed labels.",
    )
    length = LengthBiasSerializer(allow_null=True)
    repeats = RepeatsSerializer(
        source="known.repeats", default=None, allow_null=True, help_text="Null for anything but a judge."
    )
    order = OrderSerializer(
        source="known.order",
        default=None,
        allow_null=True,
        help_text="Of a judge of pairs; null for a formula.",
    )
    attacks = WithstoodSerializer(
        source="known.attacks", default=None, allow_null=True, help_text="Null until they were tried."
    )
    drift = JudgeDriftSerializer(
        source="known.drift", default=None, allow_null=True, help_text="Null until it was asked again."
    )
    changed = serializers.CharField(
        source="known.changed.model",
        default=None,
        allow_null=True,
        help_text="The name of its model, if another one answers since the sealed labels were opened.",
    )
    no_verdict = serializers.IntegerField(help_text="Labelled answers without a verdict of the evaluator.")
    openings = OpeningSerializer(many=True, help_text="For all versions of the evaluator, oldest first.")
    unsealing = UnsealingSerializer(
        allow_null=True, help_text="Whether the labels were unsealed: whatever was tuned since had seen them."
    )


class LabelAgreementQuery(NoQuery):
    experiment = IntegerText(required=False, help_text="Only labels of this experiment. Default: of all.")


class RivalSerializer(Answer):
    """`agreement` on the sealed labels; null for a judge while they are sealed."""

    evaluator = UsedEvaluatorSerializer(source="version")
    threshold = serializers.FloatField(source="held.threshold", allow_null=True)
    agreement = AgreementFiguresSerializer(allow_null=True)


class RivalLeadSerializer(Answer):
    """The κ of the first evaluator less that of the second, on the same labels; `more` labels would tell."""

    difference = serializers.FloatField()
    interval = floats()
    more = serializers.IntegerField(allow_null=True)


class LabelAgreementSerializer(Answer):
    """How well people agree, and which evaluator agrees best with them."""

    label_set = UsedEvaluatorSerializer(source="labelled.version")
    runs = serializers.SerializerMethodField()
    answers = serializers.IntegerField(source="labelled.labels.answers")
    classes = strings(source="labelled.classes.titles")
    peers = AgreementFiguresSerializer(source="labelled.peers", allow_null=True)
    alpha = CoefficientSerializer(source="labelled.alpha", help_text="Krippendorff's α of people.")
    sealed = serializers.IntegerField(source="labels", help_text="Sealed answers with labels.")
    evaluators = RivalSerializer(source="rivals", many=True)
    lead = RivalLeadSerializer(allow_null=True)
    sentence = serializers.CharField()

    def get_runs(self, found: AgreesBest) -> list[int]:
        return [run.pk for run in found.labelled.runs]
