"""Changing passwords, which also invalidates sign-in links, and a limit on their length."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from evaluations.models import SignInLink
from evaluations.numerals import grouped

LONGEST = 1_000  # characters; longer ones are refused before hashing, whose time grows with the length


def change_password(user: User, password: str) -> None:
    """Set a password; sign-in links that were sent before stop working."""
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        SignInLink.objects.filter(user=user, used_at=None).delete()


class MaximumLength:
    """A validator: refuses a password of more than `LONGEST` characters before it is hashed."""

    def validate(self, password: str, user: object = None) -> None:
        if len(password) > LONGEST:
            raise ValidationError(self.get_help_text())

    def get_help_text(self) -> str:
        return f"A password can have at most {grouped(LONGEST)} characters."
