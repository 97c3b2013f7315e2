"""The tables of webhooks and their deliveries."""

from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.utils import timezone

from .fields import JSONTextField
from .leased import Leased
from .owned import OwnedQuerySet
from .project import Project


class Webhook(models.Model):
    """An address that receives events of a project. Its secret, which signs them, is stored encrypted.

    `site` is the address at which its creator saw this site, for links if EVALSITE_URL is not set.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=2_000)
    events = JSONTextField(default=list)
    encrypted_secret = models.TextField(blank=True)
    site = models.CharField(max_length=500)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = OwnedQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        """Only the host: the rest of a chat's address is a secret."""
        return urlsplit(self.url).hostname or ""


class Delivery(Leased):
    """An event for a webhook, stored with the change that it reports and sent by a worker; `attempt` counts attempts.

    `done` means delivered or given up.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    content = JSONTextField(default=dict)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    due_at = models.DateTimeField(default=timezone.now)
    tried_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    cause = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "due_at"], name="delivery_due")]

    @property
    def status(self) -> str:
        if self.delivered_at:
            return "delivered"
        return "failed" if self.state == self.State.DONE else "waiting"

    @property
    def next_at(self) -> object:
        return self.due_at if self.status == "waiting" else None
