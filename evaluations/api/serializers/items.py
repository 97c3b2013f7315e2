"""What variants say about the examples of a dataset, as JSON."""

from rest_framework import serializers

from ..answers import Answer
from .comparison_entry import Pks

LISTED = "The first hundred of them."


class AlikeItemSerializer(Answer):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    score = serializers.FloatField(help_text="The score of every variant.")


class SuspectItemSerializer(Answer):
    position = serializers.IntegerField()
    key = serializers.CharField(allow_null=True)
    score = serializers.FloatField(help_text="The mean score of the good variants.")
    answer = serializers.CharField(
        allow_null=True, help_text="The most frequent answer of the good variants."
    )
    same = serializers.IntegerField(help_text="How many of the good variants gave this answer.")


class ItemsSerializer(Answer):
    """Over the latest run of each ranked variant of the leaderboard, by one evaluator."""

    runs = Pks(child=serializers.IntegerField(), help_text="The runs that are compared.")
    examples = serializers.IntegerField(help_text="Examples for which all runs have a score.")
    alike = serializers.IntegerField(help_text="Examples on which no variant differs.")
    right = serializers.IntegerField(
        allow_null=True, help_text="Of these, examples with the best score. Null for a scale without an end."
    )
    wrong = serializers.IntegerField(allow_null=True, help_text="Of these, examples with the worst score.")
    alike_examples = AlikeItemSerializer(source="alike_listed", many=True, help_text=LISTED)
    good = Pks(
        child=serializers.IntegerField(),
        help_text="Runs that are not clearly worse than the best one; at least two.",
    )
    contradicted = serializers.IntegerField(
        allow_null=True,
        help_text="Examples whose reference all good variants contradict: each scores within a tenth of the worst end. "
        "Null if good variants are not known.",
    )
    contradicted_examples = SuspectItemSerializer(
        source="contradicted_listed", many=True, help_text="The hundred on which most good variants agree."
    )
