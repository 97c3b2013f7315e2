"""The tables of projects, members, invitations, API keys, sign-in links, idempotency and pulses."""

from typing import Any, Self, TypeAlias, TypeVar, Union

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME


class Role(models.TextChoices):
    """An annotator labels in the tasks in which they are asked, and sees nothing else of the project."""

    ANNOTATOR = "annotator"
    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"


class Scope(models.TextChoices):
    """What an API key may do: read; also create experiments and runs; all that an editor may; all that an admin may."""

    READ = "read"
    RUN = "run"
    WRITE = "write"
    ADMIN = "admin"


READERS = [Role.VIEWER, Role.EDITOR, Role.ADMIN]
Principal: TypeAlias = Union[User, AnonymousUser, "ApiKey"]
Rows = TypeVar("Rows", bound=models.QuerySet[Any])


def visible_to(rows: Rows, principal: Principal, project: str) -> Rows:
    """The rows whose project the principal may see; `project` leads from a row to it ("project__", "" in its own)."""
    live = rows.filter(**{f"{project}deleted_at": None})
    if isinstance(principal, ApiKey):
        return live.filter(**{f"{project}pk": principal.project_id})
    if getattr(principal, "is_superuser", False):
        return live
    if not principal.is_authenticated:
        return rows.none()
    membership = {"memberships__user": principal, "memberships__role__in": READERS}
    return live.filter(**{f"{project}{name}": value for name, value in membership.items()})


def only_production() -> list[str]:
    """The labels that a new project protects."""
    return ["production"]


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, principal: Principal) -> Self:
        return visible_to(self, principal, "")


class Project(models.Model):
    """The owner of all other objects. A deleted project is hidden with all it owns, and can be restored for 7 days.

    Runs that ended, and datasets last used, more than the set number of days ago are deleted (upkeep/retention.py);
    null keeps them. Only administrators move the protected labels of prompts. Without `share_links` no link that needs
    no account can be made, and those that exist do not work.
    """

    name = models.CharField(max_length=LONGEST_NAME)
    slug = models.SlugField(unique=True)
    default_connection = models.ForeignKey(
        "evaluations.Connection", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    currency = models.CharField(max_length=3, default="USD")
    monthly_limit = models.BigIntegerField(null=True)
    protected_labels = models.JSONField(default=only_production)
    share_links = models.BooleanField(default=True)
    delete_runs_after_days = models.PositiveSmallIntegerField(null=True)
    delete_datasets_after_days = models.PositiveSmallIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="membership_once")]

    def __str__(self) -> str:
        return self.user.get_username()


class Invitation(models.Model):
    """A link that adds one person to a project before it expires. Only the SHA-256 of its token is stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role)
    email = models.EmailField(blank=True)
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.role} {self.email}".strip()


class ApiKey(models.Model):
    """A key for programs. Only its prefix and the SHA-256 of the whole key are stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="api_keys")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="api_keys")
    name = models.CharField(max_length=LONGEST_NAME)
    scope = models.CharField(max_length=10, choices=Scope)
    prefix = models.CharField(max_length=8, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    addresses = models.JSONField(default=list, blank=True)  # networks that may use it; none: every address
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    is_authenticated = True

    def __str__(self) -> str:
        return f"{self.name} (evk_{self.prefix}…)"


class SignInLink(models.Model):
    """A link that signs one user in, once, within an hour."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class IdempotentAnswer(models.Model):
    """The response to a POST with an Idempotency-Key, repeated if the request is."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "key"], name="idempotency_key_once")]


class Pulse(models.Model):
    """The last time that a regular event happened: `sweep` ran, `work` (the Celery queue) was looked at by a worker.

    `limit 7` is the time when connection 7 last refused calls because of their rate, or until which it asked for none.
    `worker@host` is the time when this worker last reported itself.
    """

    name = models.CharField(max_length=255, primary_key=True)
    at = models.DateTimeField()
