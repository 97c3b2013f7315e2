"""Forms of the user's own account: a first or a new password, and a new API key."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.db.models import QuerySet

from evaluations.access import api_keys
from evaluations.errors import Invalid
from evaluations.models import Project, Scope
from evaluations.values import LONGEST_NAME

from .form import Form
from .own_words import OwnWords

DAYS = {"": "never", "30": "in 30 days", "90": "in 90 days", "365": "in a year"}
SCOPES = {  # each with what it allows, so that only the chosen one is explained
    Scope.READ: "Read: see everything",
    Scope.RUN: "Run: also make runs",
    Scope.WRITE: "Write: as an editor",
    Scope.ADMIN: "Admin: as an administrator",
}


if TYPE_CHECKING:
    SetPassword = SetPasswordForm[User]
else:
    SetPassword = SetPasswordForm


class NewPasswordForm(OwnWords, SetPassword):
    """A first password for a user without one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_password(self.fields)


class ChangePasswordForm(OwnWords, PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_password(self.fields)


def describe_password(fields: dict[str, forms.Field], name: str = "new_password") -> None:
    """One line with the rules of AUTH_PASSWORD_VALIDATORS; an error names the broken one."""
    fields[f"{name}1"].help_text = "At least 10 characters. Not a common password, a number or your name."
    fields[f"{name}2"].label, fields[f"{name}2"].help_text = "The same password again", ""


class KeyForm(Form):
    """A new API key for one of the user's projects."""

    object_fields = ("project",)

    name = forms.CharField(
        max_length=LONGEST_NAME, help_text="What uses this key, such as “nightly evaluation”."
    )
    project = forms.ModelChoiceField(Project.objects.none(), empty_label=None)
    scope = forms.ChoiceField(
        choices=SCOPES.items(),
        initial=Scope.WRITE,
    )
    expires = forms.ChoiceField(choices=DAYS.items(), initial="365", required=False, label="Expires")

    addresses = forms.CharField(
        required=False,
        max_length=1_000,
        label="Allowed addresses",
        help_text="Networks that may use it, such as 10.1.0.0/16. Empty: every address.",
    )

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.object_field("project").queryset = projects

    def clean_addresses(self) -> list[str]:
        addresses = self.cleaned_data["addresses"].replace(",", " ").split()
        try:
            return [str(network) for network in api_keys.networks(addresses)]
        except Invalid as problem:
            raise forms.ValidationError(f"{problem.message} {problem.hint}") from problem

    @property
    def lifetime(self) -> timedelta | None:
        days = self.cleaned_data["expires"]
        return timedelta(days=int(days)) if days else None
