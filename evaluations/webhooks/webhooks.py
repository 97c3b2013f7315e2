"""Webhooks of a project: validated addresses, and secrets that are shown once."""

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from evaluations import secretbox
from evaluations.clients import ServiceError, check_url
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import connections
from evaluations.models import Project, Webhook

from .kinds import EVENTS

MOST_WEBHOOKS = 10  # in a project
SHORTEST_SECRET, LONGEST_SECRET = 16, 200


def check(url: str) -> None:
    """Refuse an invalid address. This resolves names, so never call it inside a transaction."""
    try:
        check_url(url, connections.guard(), may_query=True)
    except ServiceError as error:
        raise Invalid(error.code, error.message, fields={"url": [error.message]}) from error


def store(
    project: Project, user: User | None, url: str, events: Iterable[str], secret: str, site: str
) -> tuple[Webhook, str]:
    """Create a webhook without checking its address; returns it with its secret, a random one if `secret` is empty."""
    secret = secret or f"whs_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        if project.webhooks.count() >= MOST_WEBHOOKS:
            raise Conflict("too_many_webhooks", f"A project can have at most {MOST_WEBHOOKS} webhooks.")
        ordered = [event for event in EVENTS if event in set(events)]
        webhook = Webhook.objects.create(
            project=project, created_by=user, url=url, events=ordered, site=site.rstrip("/")
        )
        webhook.encrypted_secret = secretbox.seal(webhook.pk, secret)
        webhook.save(update_fields=["encrypted_secret"])
    return webhook, secret


def delete(webhook: Webhook) -> None:
    """Delete a webhook for good with its deliveries; waiting ones are not sent."""
    webhook.delete()
