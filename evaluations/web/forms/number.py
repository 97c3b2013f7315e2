"""Numbers in a form, typed as text: a wheel or an arrow key over a spinner would change them unseen."""

from typing import Any

from django import forms

from evaluations.errors import Invalid
from evaluations.prompts import money
from evaluations.values import LARGEST_POSITION

A_NUMBER = "Enter a number with a point before its decimals, such as 0.85."


class NumberField(forms.FloatField):
    """A decimal comma is refused with what to write instead: “1,000” could mean a thousand or one."""

    default_error_messages = {"invalid": A_NUMBER}


class WholeField(forms.IntegerField):
    def __init__(self, *, min_value: int = 1, max_value: int = LARGEST_POSITION, **options: Any) -> None:
        options.setdefault("widget", forms.TextInput({"inputmode": "numeric", "autocomplete": "off"}))
        super().__init__(min_value=min_value, max_value=max_value, **options)


class AmountField(forms.CharField):
    """An amount of money as text, which `money` can read when it is needed."""

    def __init__(self, **options: Any) -> None:
        typed = forms.TextInput({"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(max_length=money.LONGEST, widget=typed, **options)

    def validate(self, value: str) -> None:
        super().validate(value)
        if value:
            try:
                money.amount(value, "amount", 0)
            except Invalid as wrong:
                raise forms.ValidationError(wrong.message) from wrong
