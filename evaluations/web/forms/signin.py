"""The form to sign in."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField

from evaluations.access import passwords

from .own_words import OwnWords


class SignInForm(OwnWords, AuthenticationForm):
    """Shows the same error for an unknown name, a disabled account and a wrong password."""

    username = UsernameField(label="User name", widget=forms.TextInput(attrs={"autofocus": True}))
    password = forms.CharField(
        strip=False,
        max_length=passwords.LONGEST,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    error_messages = {
        "invalid_login": "Wrong user name or password. Passwords are case-sensitive.",
        "inactive": "Wrong user name or password. Passwords are case-sensitive.",
    }
