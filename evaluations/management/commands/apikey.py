"""`manage.py apikey`: creates, lists and revokes API keys."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluations.access import api_keys
from evaluations.errors import Refusal
from evaluations.management import CHECKS
from evaluations.models import ApiKey, Project, Scope


class Command(BaseCommand):
    help = "Create, list and revoke API keys."
    requires_system_checks = CHECKS

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="print a new key and nothing else")
        create.add_argument("--project", required=True, help="the slug of the project")
        create.add_argument("--scope", required=True, choices=Scope.values)
        create.add_argument("--name", default="Command line", help="a name for the key")
        create.add_argument("--user", help="its owner, whose rights limit the key (default: no owner)")
        create.add_argument("--expires-days", type=int, help="days until it expires (default: never)")
        create.add_argument(
            "--from",
            dest="addresses",
            action="append",
            default=[],
            metavar="NETWORK",
            help="a network that may use it, such as 10.1.0.0/16; again for more (default: every address)",
        )
        listing = actions.add_parser("list", help="print the keys, without their secret part")
        listing.add_argument("--project", help="the slug of a project (default: all projects)")
        revoke = actions.add_parser("revoke", help="revoke a key at once")
        revoke.add_argument("prefix", help="the eight characters after evk_")

    def handle(self, *, action: str, **options: Any) -> None:
        getattr(self, action)(**options)

    def create(
        self,
        *,
        project: str,
        scope: str,
        name: str,
        user: str | None,
        expires_days: int | None,
        addresses: list[str],
        **_: Any,
    ) -> None:
        if expires_days is not None and not 0 < expires_days <= 36_500:
            raise CommandError("--expires-days must be 1 to 36500.")
        expires_in = timedelta(days=expires_days) if expires_days else None
        try:
            text = api_keys.create_key(named(project), owner(user), name, scope, expires_in, addresses)[1]
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(text)

    def list(self, *, project: str | None, **_: Any) -> None:
        keys = ApiKey.objects.select_related("project").order_by("pk")
        for key in keys.filter(project=named(project)) if project else keys:
            self.stdout.write(f"{key.prefix}  {key.scope:5}  {state(key):8}  {key.project.slug}  {key.name}")

    def revoke(self, *, prefix: str, **_: Any) -> None:
        keys = ApiKey.objects.filter(prefix=prefix.removeprefix("evk_")[:8])
        if not keys:
            raise CommandError(f"No key begins with {prefix!r}.")
        keys.filter(revoked_at=None).update(revoked_at=timezone.now())


def state(key: ApiKey) -> str:
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= timezone.now() else "live"


def named(slug: str) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        slugs = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "none"
        raise CommandError(f"No project has the slug {slug!r}. Projects: {slugs}.")
    return project


def owner(username: str | None) -> User | None:
    if username is None:
        return None
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"No active user is named {username!r}.")
    return user
