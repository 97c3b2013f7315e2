"""A form field for the smallest difference that matters."""

from typing import Any

from django import forms

from evaluations.errors import Refusal
from evaluations.experiments import experiments

from .number import NumberField


class MarginField(NumberField):
    """A positive number; None if empty."""

    def __init__(self, **options: Any):
        super().__init__(required=False, **options)

    def clean(self, value: Any) -> float | None:
        margin: float | None = super().clean(value)
        try:
            experiments.require_margin(margin, "margin")
        except Refusal as refusal:
            raise forms.ValidationError(refusal.message) from refusal
        return margin
