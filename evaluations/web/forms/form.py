from collections.abc import Callable
from typing import TypeVar

from django import forms

from evaluations.errors import Refusal

Result = TypeVar("Result")


class Form(forms.Form):
    """A form whose refusals stand beside its fields, or above them (`refused`) where they belong to none."""

    refused: Refusal | None = None
    refusal_status = 400
    things: tuple[str, ...] = ()  # Fields that choose among things of a project.

    def do(self, work: Callable[[], Result]) -> Result | None:
        """What `work` gives once the form is valid; None when the form or the use case says no."""
        if not self.is_valid():
            return None
        try:
            return work()
        except Refusal as refusal:
            self._refuse(refusal)
            return None

    def _refuse(self, refusal: Refusal) -> None:
        own = {name: said for name, said in refusal.fields.items() if name in self.fields}
        for name, sentences in own.items():
            for sentence in sentences:
                self.add_error(name, sentence)
        self.refused = None if own else refusal
        self.refusal_status = refusal.status

    @property
    def status(self) -> int:
        """200 for a form to fill in, else why it came back: 404 where it names what is not there for this person."""
        if not self.is_bound or not (self.errors or self.refused):
            return 200
        return (
            404
            if any(self.has_error(name, "invalid_choice") for name in self.things)
            else self.refusal_status
        )
