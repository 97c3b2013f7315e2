"""`manage.py signin_link`: prints a link that signs a user in once."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError, CommandParser
from django.urls import reverse, set_script_prefix

from evaluations.access import audit, second_factors, signin_links
from evaluations.management import CHECKS


class Command(BaseCommand):
    help = "Print a link that signs one user in, once, within an hour."
    requires_system_checks = CHECKS

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", help="the user's name (default: the first administrator)")
        parser.add_argument(
            "--remove-second-factors",
            action="store_true",
            help="also remove the second factors of a user who lost them",
        )

    def handle(self, *, username: str | None, remove_second_factors: bool = False, **options: Any) -> None:
        user = named(username) if username else administrator()
        if remove_second_factors:
            second_factors.remove_all(user)
            audit.record_chore("manage.py signin_link", "person-factors", user)
        self.stdout.write(link_for(user))


def named(username: str) -> User:
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"No active user is named {username!r}.")
    return user


def administrator() -> User:
    user = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if user is None:
        raise CommandError("There is no administrator. Create one with `manage.py createsuperuser`.")
    return user


def link_for(user: User) -> str:
    """The URL of the link; resolved among the sign-in URLs only, because importing all pages takes seconds."""
    token = signin_links.make_signin_link(user)
    set_script_prefix(f"{settings.PATH}/")  # Django sets it in the main thread only, and `up` asks in another
    return _origin() + reverse("signin-link", args=[token], urlconf="evaluations.web.accounts.signin")


def _origin() -> str:
    """The address of the site: the one given, else that of the site which runs on this data folder."""
    is_told = not settings.GIVEN_URL and settings.ADDRESS_FILE.exists()
    return settings.ADDRESS_FILE.read_text() if is_told else settings.ORIGIN
