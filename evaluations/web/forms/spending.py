"""What judges and embeddings may spend: a budget, or a number of calls of a model without a price."""

from django import forms

from evaluations.prompts import money
from evaluations.prompts.named import Money
from evaluations.values import LARGEST_POSITION

from .form import Form


class SpendingForm(Form):
    budget = forms.CharField(
        max_length=money.LONGEST,
        required=False,
        label="What they may spend",
        help_text="Judges, and embeddings by a connection: such as 0.50. Without money no server is called: their "
        "columns wait.",
        widget=forms.TextInput({"inputmode": "decimal", "autocomplete": "off"}),
    )
    max_calls = forms.IntegerField(
        min_value=1,
        max_value=LARGEST_POSITION,
        required=False,
        label="Or how many calls they may make",
        help_text="For models without a price, such as those on your own machine.",
        widget=forms.TextInput({"inputmode": "numeric", "autocomplete": "off"}),
    )

    @property
    def money(self) -> Money:
        """What was named; nothing by default."""
        budget = self.cleaned_data["budget"].strip()
        return Money(money.cost(budget, "budget") if budget else None, self.cleaned_data["max_calls"])
