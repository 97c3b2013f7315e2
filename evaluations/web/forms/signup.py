from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from evaluations.access import lookalikes


class SignUpForm(UserCreationForm):
    """A user name and a password for somebody who was invited."""

    class Meta:
        model = User
        fields = ("username",)
        labels = {"username": "User name"}
        help_texts = {"username": "Letters, digits and @ . + - _ only."}

    def clean_username(self) -> str:
        """Refuse a name that looks like another person's."""
        name = super().clean_username()
        if name and lookalikes.is_taken(name):
            raise ValidationError("This name looks like another person's.")
        return name
