"""The queries that ask for a comparison."""

from typing import get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluations.comparisons.figures.figures import Estimate
from evaluations.results import filter_params
from evaluations.values import Missing

from ..fields import FlagText, NumberText, Text
from .page import OfSplit, StackedQuery

MISSING = get_args(Missing)


@extend_schema_field({"type": "string", "pattern": "^ *[0-9]{1,19} *(, *[0-9]{1,19} *)*$"})
class Ids(Text):
    """Ids separated by commas; the view parses them."""


class LeastDifference(NumberText):
    """How far apart scores must be."""

    def __init__(self) -> None:
        super().__init__(
            default=0.0,
            min_value=0.0,
            help_text="Only examples on which a run's score and the baseline's are at least this far apart.",
        )


class ComparisonQuery(StackedQuery):
    is_stacked = staticmethod(filter_params.is_metadata)
    runs = Ids(
        help_text="Ids of runs, separated by commas. Add `metadata[<column>]=<value>` to compare only "
        "examples with this value. Values of subsets work too, including those of `input length`, "
        "`reference length` and `right answer`."
    )
    split = OfSplit()
    baseline = Text(
        required=False, help_text="The id of the run to compare with. Default: the first of `runs`."
    )
    missing = serializers.ChoiceField(
        MISSING,
        required=False,
        help_text="Whether examples that a variant did not answer count as worst (the default) or are excluded.",
    )
    cluster = Text(
        required=False,
        help_text="`auto` (the default) looks for groups of related examples, `none` treats all examples as "
        "independent, the name of a metadata column groups examples by its values.",
    )
    estimate = serializers.ChoiceField(
        get_args(Estimate),
        required=False,
        help_text="Where people's labels of pass and fail are primary: `labels` counts them alone, `helped` (the "
        "default) makes them narrower by an evaluator that is checked against them, if there is one.",
    )
    repeats = serializers.ChoiceField(
        ["mean"],
        required=False,
        help_text="Combine the runs of one variant: each example gets its mean score over them.",
    )


class ComparisonExportQuery(ComparisonQuery):
    safe = FlagText(
        default=True, help_text="false: do not escape cells that a spreadsheet would run as formulas."
    )
    bom = FlagText(
        default=False, help_text="true: CSV begins with a byte order mark, so that Excel recognises UTF-8."
    )
