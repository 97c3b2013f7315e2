"""The base form, which shows refusals of a use case beside its fields."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from django import forms

from evaluations.errors import Refusal

Result = TypeVar("Result")


class Form(forms.Form):
    """A form that shows refusals beside its fields, or above them (`refused`) if they belong to none."""

    refused: Refusal | None = None
    refusal_status = 400
    object_fields: tuple[str, ...] = ()  # fields that select objects of a project

    def clean(self) -> dict[str, Any]:
        super().clean()
        return self.cleaned_data

    def choice_field(self, name: str) -> forms.ChoiceField:
        return cast(forms.ChoiceField, self.fields[name])

    def object_field(self, name: str) -> "forms.ModelChoiceField[Any]":
        return cast("forms.ModelChoiceField[Any]", self.fields[name])

    def do(self, work: Callable[[], Result]) -> Result | None:
        """The result of `work` if the form is valid; None if the form or `work` refuses."""
        if not self.is_valid():
            return None
        try:
            return work()
        except Refusal as refusal:
            self._refuse(refusal)
            return None

    def _refuse(self, refusal: Refusal) -> None:
        form_errors = {name: texts for name, texts in refusal.fields.items() if name in self.fields}
        for name, sentences in form_errors.items():
            for sentence in sentences:
                self.add_error(name, sentence)
        self.refused = None if form_errors else refusal
        self.refusal_status = refusal.status

    @property
    def status(self) -> int:
        """The HTTP status: 200 for an unsubmitted form, that of a refusal, or 404 if the user may not see an object."""
        if not self.is_bound or not (self.errors or self.refused):
            return 200
        return (
            404
            if any(self.has_error(name, "invalid_choice") for name in self.object_fields)
            else self.refusal_status
        )
