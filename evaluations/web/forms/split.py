"""A new split: by metadata, by a random share, or by typed keys."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.models import Dataset, Split
from evaluations.models.fields import longest
from evaluations.numerals import whole
from evaluations.results import filter_params
from evaluations.values import LARGEST_POSITION, LONGEST_NAME

from ..page_tools.request import HttpRequest, posted
from .form import Form
from .number import NumberField, WholeField

MOST_TICKED = 10_000
MOST_TYPED = 1_000_000  # characters


def _text(**attributes: str) -> forms.TextInput:
    return forms.TextInput({"class": "input", "autocomplete": "off"} | attributes)


def selected_positions(form_data: QueryDict) -> list[int]:
    """The positions of the selected rows."""
    numbers = [whole(text) or 0 for text in form_data.getlist("position")]
    return [position for position in numbers if 0 < position <= LARGEST_POSITION][:MOST_TICKED]


class SplitForm(Form):
    """`filter` are metadata columns and values of the address; `positions` are the selected rows."""

    name = forms.CharField(max_length=LONGEST_NAME, widget=_text())
    share = NumberField(
        label="Random share, %",
        required=False,
        min_value=0,
        max_value=100,
        help_text="A random share of the chosen examples. Empty: all of them.",
        widget=_text(inputmode="decimal"),
    )
    seed = WholeField(
        required=False,
        min_value=0,
        max_value=splits.LARGEST_SEED,
        help_text="The same seed draws the same examples. Empty: a new one.",
        widget=_text(inputmode="numeric"),
    )
    keys = forms.CharField(
        label="Keys, chosen by hand",
        required=False,
        max_length=MOST_TYPED,
        help_text="One per line. Leave metadata and share empty.",
        widget=forms.Textarea({"rows": 3, "class": "input", "spellcheck": "false"}),
    )
    group = forms.CharField(
        label="Exclusive group",
        required=False,
        max_length=longest(Split, "group"),
        help_text="An example belongs to at most one split of a group, such as dev or test.",
        widget=_text(list="groups"),
    )

    def __init__(
        self, *args: Any, filter: list[tuple[str, str]], positions: Sequence[int] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.filter, self.positions = filter, positions

    @classmethod
    def from_request(cls, request: HttpRequest) -> "SplitForm":
        form_data = request.POST if request.method == "POST" else request.GET
        pairs = [(name, value) for name, values in form_data.lists() for value in values if value]
        filters = filter_params.parse(pairs, (), strict=False)
        return cls(posted(request), filter=list(filters.metadata), positions=selected_positions(form_data))

    def create(self, dataset: Dataset, user: User) -> Split:
        values = self.cleaned_data
        share = None if values["share"] is None else values["share"] / 100
        keys = [line.strip() for line in values["keys"].splitlines() if line.strip()]
        rule = Rule(self.filter, share, values["seed"], keys, self.positions)
        return splits.create(dataset, user, values["name"], rule, values["group"])
