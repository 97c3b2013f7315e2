"""What judges and embeddings may spend: a budget, or a number of calls of a model without a price."""

from evaluations.prompts import money
from evaluations.prompts.named import Money

from .form import Form
from .number import AmountField, WholeField


class SpendingForm(Form):
    budget = AmountField(
        required=False,
        label="Budget for evaluators that call a server",
        help_text="Judges, and embeddings by a connection: such as 0.50. Without money no server is called: their "
        "columns wait.",
    )
    max_calls = WholeField(
        required=False,
        label="Or a number of calls",
        help_text="For models without a price, such as those on your own machine.",
    )

    @property
    def money(self) -> Money:
        """What was named; nothing by default."""
        return Money(money.limit(self.cleaned_data["budget"], "budget"), self.cleaned_data["max_calls"])
