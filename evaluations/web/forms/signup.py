"""The form by which an invited person creates an account."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from evaluations.access import lookalikes

from .account import describe_password
from .own_words import OwnWords

if TYPE_CHECKING:
    UserCreation = UserCreationForm[User]
else:
    UserCreation = UserCreationForm


class SignUpForm(OwnWords, UserCreation):
    """A user name and a password for an invited person."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "User name"}
        help_texts = {"username": "Letters, digits and @ . + - _ only."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        describe_password(self.fields, "password")

    def clean_username(self) -> str:
        """Refuse a name that looks like another person's."""
        name = super().clean_username()
        if name and lookalikes.is_taken(name):
            raise ValidationError("This name looks like another person's.")
        return name
