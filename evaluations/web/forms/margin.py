"""Form fields for the smallest difference that matters, and for the largest one that counts as a tie."""

from collections.abc import Callable
from typing import Any

from django import forms

from evaluations.errors import Refusal
from evaluations.experiments import experiments

from .number import NumberField


class _OptionalNumber(NumberField):
    """A number that the experiment accepts; None if empty."""

    def __init__(self, name: str, require: Callable[[float | None, str], None], **options: Any):
        super().__init__(required=False, **options)
        self.name, self.require = name, require

    def clean(self, value: Any) -> float | None:
        number: float | None = super().clean(value)
        try:
            self.require(number, self.name)
        except Refusal as refusal:
            raise forms.ValidationError(refusal.message) from refusal
        return number


class MarginField(_OptionalNumber):
    """A positive number; None if empty."""

    def __init__(self, **options: Any):
        super().__init__("margin", experiments.require_margin, **options)


class TieField(_OptionalNumber):
    """Zero or more; None if empty."""

    def __init__(self, **options: Any):
        super().__init__("tie", experiments.require_tie, **options)
