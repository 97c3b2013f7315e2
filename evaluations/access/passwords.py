from django.core.exceptions import ValidationError


class MaximumLength:
    """Refuses a password of more than `LONGEST` characters before it is hashed."""

    LONGEST = 1_000

    def validate(self, password: str, user: object = None) -> None:
        if len(password) > self.LONGEST:
            raise ValidationError(self.get_help_text())

    def get_help_text(self) -> str:
        return f"A password has at most {self.LONGEST:,} characters."
