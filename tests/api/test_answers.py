"""`Answer`: serializers that read objects and dicts by the sources of their fields."""

from types import SimpleNamespace
from typing import Any

from rest_framework import serializers

from evaluations.api.answers import Answer


class Part(Answer):
    low = serializers.FloatField()
    high = serializers.FloatField(allow_null=True)


class Whole(Answer):
    run = serializers.IntegerField(source="side.run")
    lead = serializers.FloatField(source="ahead.by", allow_null=True)
    part = Part(allow_null=True)
    parts = Part(many=True)
    words = serializers.SerializerMethodField()
    copy = Part(source="*")

    def get_words(self, row: Any) -> str:
        return f"run {row.side.run}"


def part(low: float) -> SimpleNamespace:
    return SimpleNamespace(low=low, high=None)


def test_fields_are_read_along_their_sources():
    row = SimpleNamespace(
        side=SimpleNamespace(run=7),
        ahead=SimpleNamespace(by=0.5),
        part=part(1),
        parts=[part(2)],
        low=3,
        high=4,
    )

    assert Whole(row).data == {
        "run": 7,
        "lead": 0.5,
        "part": {"low": 1, "high": None},
        "parts": [{"low": 2, "high": None}],
        "words": "run 7",
        "copy": {"low": 3, "high": 4},
    }


def test_what_a_nullable_source_leads_through_may_be_missing():
    row = SimpleNamespace(side=SimpleNamespace(run=7), ahead=None, part=None, parts=[], low=3, high=4)

    answer = Whole(row).data

    assert (answer["lead"], answer["part"], answer["parts"]) == (None, None, [])


def test_a_dict_may_lack_what_can_be_null():
    assert Part({"low": 1}).data == {"low": 1, "high": None}
    assert Part({"high": 1}).data == {"high": 1}
