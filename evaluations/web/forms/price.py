"""The price of a connection's model."""

from typing import Any

from django import forms

from evaluations.models import Connection, Price
from evaluations.prompts import money, prices
from evaluations.values import LONGEST_NAME

from .day import DayField
from .form import Form
from .number import AmountField

FORM = "new-price"


class PriceForm(Form):
    model = forms.CharField(
        max_length=LONGEST_NAME, widget=forms.TextInput({"list": "models", "spellcheck": "false"})
    )
    input = AmountField(label="Input")
    cached = AmountField(label="Cached input", required=False)
    output = AmountField(label="Output")
    valid_from = DayField(label="Valid from", initial=prices.today)

    def __init__(self, *args: Any, **options: Any) -> None:
        """Give the fields ids of their own, because the page has another field for a model."""
        super().__init__(*args, **options | {"auto_id": "price_%s"})
        for field in self.fields.values():  # they stand in the cells of a table, where no form can
            field.widget.attrs["form"] = FORM

    def save(self, connection: Connection) -> tuple[Price, bool]:
        values = self.cleaned_data
        return prices.set_price(
            connection,
            values["model"],
            input=money.price(values["input"], "input"),
            output=money.price(values["output"], "output"),
            cached=money.price(values["cached"], "cached") if values["cached"] else None,
            valid_from=values["valid_from"],
        )
