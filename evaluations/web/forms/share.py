"""The form of a link that needs no account, and the name of a saved view."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from evaluations.experiments.saved_views import LONGEST_PATH
from evaluations.models import ShareLink
from evaluations.reports.sharing import DAYS, LONGEST_NOTE, MOST_DAYS, Plan
from evaluations.values import LONGEST_NAME

from .form import Form

KINDS = {
    ShareLink.Kind.REPORT: "This view, kept as it is now",
    ShareLink.Kind.COMPARISON: "This view, always current",
    ShareLink.Kind.EXPERIMENT: "The experiment, always current: new variants and scores appear",
}
TEXTS = {
    "figures": "Figures only: verdict, tables, subsets",
    "texts": "Figures and the largest regressions: inputs, references and outputs of at most ten examples",
}


class ShareForm(Form):
    kind = forms.ChoiceField(
        label="What", choices=list(KINDS.items()), initial=ShareLink.Kind.REPORT, widget=forms.RadioSelect
    )
    texts = forms.ChoiceField(
        label="Texts", choices=list(TEXTS.items()), initial="figures", widget=forms.RadioSelect
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=MOST_DAYS,
        initial=DAYS,
        label="Days that it works",
    )
    note = forms.CharField(
        max_length=LONGEST_NOTE,
        required=False,
        label="Note for readers",
        help_text="Shown above the verdict.",
    )

    def __init__(self, form_data: Any = None, *, of_one_experiment: bool = True) -> None:
        super().__init__(form_data)
        until = timezone.now() + timedelta(days=DAYS)
        self.fields["days"].help_text = (
            f"{DAYS} days last until {until:%-d %b %Y}, at most {MOST_DAYS} are possible. It ends earlier when you"
            " end it, or when what it shows is deleted."
        )
        if not of_one_experiment:
            kinds = [(kind, words) for kind, words in KINDS.items() if kind != ShareLink.Kind.EXPERIMENT]
            self.choice_field("kind").choices = kinds

    @property
    def plan(self) -> Plan:
        chosen = self.cleaned_data
        return Plan(
            kind=chosen["kind"],
            texts=chosen["texts"] == "texts",
            note=chosen["note"],
            expires_at=timezone.now() + timedelta(days=chosen["days"]),
        )


class ViewForm(Form):
    name = forms.CharField(max_length=LONGEST_NAME)
    path = forms.CharField(max_length=LONGEST_PATH, widget=forms.HiddenInput)
    shared = forms.BooleanField(required=False, label="Show it to everybody in the project")
