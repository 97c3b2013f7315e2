"""The query and results of the search by name."""

from typing import Any

from rest_framework import serializers

from evaluations.experiments.search import OF_EACH
from evaluations.values import LONGEST_SEARCH

from ..fields import IntegerText, Text
from .page import NoQuery


class SearchQuery(NoQuery):
    q = Text(
        max_length=LONGEST_SEARCH, help_text="A part of the name; case is ignored. Empty: the newest objects."
    )
    of_each = IntegerText(
        required=False,
        default=OF_EACH,
        min_value=1,
        max_value=100,
        help_text="The most results of each kind.",
    )


class FoundExperimentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()


class FoundSerializer(serializers.Serializer[Any]):
    """A match. `experiment` is set for a run, whose `name` is that of its variant."""

    kind = serializers.CharField(
        source="noun", help_text="experiment, dataset, evaluator, prompt, gate or run."
    )
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    experiment = FoundExperimentSerializer(allow_null=True)


class MatchesSerializer(serializers.Serializer[Any]):
    """Matches by kind of object, newest first."""

    results = FoundSerializer(many=True)
