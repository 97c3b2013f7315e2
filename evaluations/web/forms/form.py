"""The base form, which shows refusals of a use case beside its fields."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django import forms

from evaluations.errors import Conflict, Refusal
from evaluations.metrics import diff as diffs
from evaluations.values import as_typed, digest_of

from .own_words import OwnWords

Result = TypeVar("Result")

# a page that was drawn some time ago may offer what is there no more
GONE = (
    "This choice is no longer offered: it was used, changed or deleted, perhaps in another tab. Choose again."
)


@dataclass(frozen=True)
class Meanwhile:
    """A field that somebody saved meanwhile: as it is stored, and as it was typed here."""

    label: str
    stored: str
    typed: str

    @property
    def diff(self) -> list[diffs.Change]:
        return diffs.diff(self.stored, self.typed)


class Form(OwnWords, forms.Form):
    """A form that shows refusals beside its fields, or above them (`refused`) if they belong to none.

    A form that `guards` what is stored has it as its initial values, also when it is posted. It refuses to overwrite
    what somebody saved since the page was drawn (`seen` in the page is a digest), and shows both versions.
    """

    refused: Refusal | None = None
    refusal_status = 400
    object_fields: tuple[str, ...] = ()  # fields that select objects of a project
    guards = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field, forms.ChoiceField | forms.ModelChoiceField):
                field.error_messages |= dict.fromkeys(("invalid_choice", "invalid_pk_value"), GONE)

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
            self._check_seen()
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

    # ---- what somebody else saved meanwhile ----

    @property
    def seen(self) -> str:
        """A digest of what is stored."""
        return digest_of({name: self._stored(name) for name in self.fields}) if self.guards else ""

    @property
    def _shown(self) -> str:
        """The digest of what the page of the sent form showed; "" if it did not say so."""
        return str(self.data.get("seen", ""))

    def _stored(self, name: str) -> str:
        return as_typed(self.get_initial_for_field(self.fields[name], name))

    def _check_seen(self) -> None:
        """Refuse to overwrite; a page that names a version also says which name it was drawn with (`name_was`)."""
        was, now = self.data.get("name_was"), self.initial.get("name")
        if was and now and was != now and self.cleaned_data.get("name") != now:
            message = f"Somebody renamed this to {now} in the meantime, or you did in another tab."
            raise Conflict("changed_meanwhile", message, hint="Save again to give it the name below.")
        if not self.guards or self._shown in ("", self.seen) or not self.theirs:
            return
        message = "Somebody saved this in the meantime, or you did in another tab."
        hint = "What you typed is still here. Save again to replace what is stored now."
        raise Conflict("changed_meanwhile", message, hint=hint)

    @property
    def theirs(self) -> list[Meanwhile]:
        """The fields whose stored value differs from what was typed."""
        if not (self.guards and self.is_bound):
            return []
        typed = {name: as_typed(self[name].value()) for name in self.fields}
        return [
            Meanwhile(str(self[name].label), self._stored(name), typed[name])
            for name, field in self.fields.items()
            if not isinstance(field.widget, forms.PasswordInput | forms.HiddenInput)
            and typed[name] != self._stored(name)
            and self._is_changed(name)
        ]

    def _is_changed(self, name: str) -> bool:
        """Whether somebody may have changed the field meanwhile; a form that knows what its page showed can tell."""
        return True

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
