"""The form in which people prove who they are: by the password, a code, or a passkey."""

from typing import Any

from django import forms
from django.contrib.auth.models import User

from evaluations.access import passwords
from evaluations.models import SecondFactor
from evaluations.models.fields import longest

from .own_words import OwnWords


class ProofForm(OwnWords, forms.Form):
    """Whichever of the fields the person can fill in; one is enough. A script fills in `passkey`."""

    one_is_enough = True  # so that no field is called optional

    password = forms.CharField(
        required=False,
        strip=False,
        max_length=passwords.LONGEST,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        required=False,
        max_length=100,
        help_text="Six digits from your authenticator app, or one of your recovery codes.",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "spellcheck": "false"}),
    )
    passkey = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, user: User, *args: Any, with_password: bool, with_code: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        if not (with_password and user.has_usable_password()):
            del self.fields["password"]
        if not with_code:
            del self.fields["code"]

    def given(self, name: str) -> str:
        """What was sent in a field, "" if nothing."""
        return str(self.cleaned_data.get(name) or "")


class AppForm(OwnWords, forms.Form):
    """The first code of a new authenticator app."""

    code = forms.CharField(
        max_length=20,
        label="Code",
        help_text="The six digits that the app shows now.",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )


class PasskeyForm(OwnWords, forms.Form):
    """A name for a new passkey, and what the browser made."""

    name = forms.CharField(
        max_length=longest(SecondFactor, "name"),
        initial="Passkey",
        help_text="Such as “laptop” or “blue key”.",
    )
    passkey = forms.CharField(required=False, widget=forms.HiddenInput)
