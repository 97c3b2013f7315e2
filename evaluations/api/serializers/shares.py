"""Read-only links and saved views."""

from typing import Any

from rest_framework import serializers

from evaluations.experiments.saved_views import LONGEST_PATH
from evaluations.models import ShareLink
from evaluations.reports.sharing import DAYS, LONGEST_NOTE, MOST_DAYS
from evaluations.values import LONGEST_NAME

from ..answers import Answer
from ..fields import Flag, FlagText, Id, Name, Strict, Text
from .page import PageQuery


class ShareLinkSerializer(Answer):
    """A link by which people without an account read one report; `opened` says how often."""

    id = serializers.IntegerField(source="pk")
    object = serializers.ChoiceField(ShareLink.Kind.choices, source="kind")
    experiment = serializers.IntegerField(source="experiment_id")
    texts = serializers.BooleanField()
    note = serializers.CharField()
    created_by = serializers.CharField(source="created_by.username", allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    opened = serializers.IntegerField()
    last_opened_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(
        source="deleted_at", allow_null=True, help_text="When somebody ended it; null if nobody did."
    )


class ShareLinksQuery(PageQuery):
    ended = FlagText(
        required=False, help_text="true: the links that somebody ended, or whose time is over, instead."
    )


class MadeShareLinkSerializer(ShareLinkSerializer):
    """`url` is shown now and never again."""

    url = serializers.CharField(allow_null=True, help_text="Null in a repeated answer.")


class NewShareLinkSerializer(Strict):
    object = serializers.ChoiceField(
        ShareLink.Kind.choices,
        help_text="`experiment` and `comparison` are always current; a `report` is kept as it is now.",
    )
    id = Id(required=False, help_text="The id of the experiment.")
    query = Text(
        required=False,
        max_length=2_000,
        help_text="The parameters of `comparisons/`, such as `runs=3,4&baseline=3`, instead of `id`.",
    )
    texts = Flag(
        required=False, default=False, help_text="Also show the largest regressions: texts of ten examples."
    )
    note = Text(
        required=False, default="", max_length=LONGEST_NOTE, help_text="Shown to readers, above the verdict."
    )
    expires_at = serializers.DateTimeField(
        required=False, help_text=f"Within {MOST_DAYS} days; in {DAYS} days by default."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("id" in attrs) == ("query" in attrs):
            raise serializers.ValidationError({"id": ["Name the experiment, or a query of runs."]})
        if attrs["object"] == ShareLink.Kind.EXPERIMENT and "id" not in attrs:
            raise serializers.ValidationError({"id": ["An experiment is named by its id."]})
        return attrs


class SavedViewSerializer(Answer):
    """The path of a page with its filters. `shared`: everybody in the project sees it."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    path = serializers.CharField()
    shared = serializers.BooleanField()
    created_by = serializers.CharField(source="created_by.username", allow_null=True)
    created_at = serializers.DateTimeField()


class SavedViewChangeSerializer(Strict):
    name = Name(max_length=LONGEST_NAME)


class NewSavedViewSerializer(Strict):
    name = Name(max_length=LONGEST_NAME)
    path = Text(
        max_length=LONGEST_PATH,
        help_text="The page of an experiment, a run, a dataset or a comparison, such as `/runs/3/?status=error`.",
    )
    shared = Flag(required=False, default=False, help_text="Everybody in the project sees it; needs `write`.")
