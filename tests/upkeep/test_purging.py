"""Nothing but users' own data stays for ever."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.utils import timezone

from evaluations.access import projects, sessions
from evaluations.models import AuditEntry, Invitation, SignInLink
from evaluations.upkeep import purging

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


def entry(at) -> AuditEntry:
    return AuditEntry.objects.create(at=at, actor_name="alice", action="sign in", object_name="")


def test_sessions_links_and_failed_tries_end(now, client, alice, project):
    client.force_login(alice)
    projects.make_signin_link(alice)
    over, ahead = now - timedelta(days=60), now + timedelta(days=1)
    Session.objects.create(session_key="old", session_data="", expire_date=over)
    SignInLink.objects.create(user=alice, digest="x", expires_at=over)
    Invitation.objects.create(project=project, role="viewer", digest="x", created_by=alice, expires_at=over)
    kept = Invitation.objects.create(
        project=project, role="viewer", digest="y", created_by=alice, expires_at=ahead
    )
    AccessAttempt.objects.create(username="alice", failures_since_start=3)
    AccessAttempt.objects.update(attempt_time=over)

    purging.purge()

    assert Session.objects.exclude(session_key=sessions.row(client.session.session_key)).count() == 0
    assert client.get("/").status_code in (200, 302)
    assert SignInLink.objects.exclude(digest="x").count() == SignInLink.objects.count() == 1
    assert list(Invitation.objects.all()) == [kept]
    assert not AccessAttempt.objects.exists()


def test_audit_entries_leave_after_their_days(now, settings, monkeypatch):
    settings.EVALSITE_AUDIT_DAYS = 400
    monkeypatch.setattr(purging, "SLICE", 2)
    for days in (500, 450, 401):
        entry(now - timedelta(days=days))
    kept = [entry(now - timedelta(days=399)), entry(now)]

    purging.purge()

    assert list(AuditEntry.objects.order_by("pk")) == kept


def test_without_a_limit_audit_entries_stay(now, settings):
    settings.EVALSITE_AUDIT_DAYS = 0
    old = entry(now - timedelta(days=5_000))

    purging.purge()

    assert list(AuditEntry.objects.all()) == [old]
