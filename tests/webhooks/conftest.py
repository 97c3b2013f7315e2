"""Webhooks to a stand-in server."""

import pytest

from evaluations.models import Budget, Launch
from evaluations.webhooks import kinds, webhooks
from tests import factories
from tests.clients.stub import json_reply

SECRET = "a secret of sixteen and more"


@pytest.fixture
def usual_answer():
    return lambda request: json_reply({"ok": True})


@pytest.fixture
def hook(project, settings):
    """Makes a webhook to the stand-in server."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def to(server, *names, secret=SECRET):
        return webhooks.store(
            project,
            None,
            f"{server.url}/T0/private?token=t",
            names or [*kinds.EVENTS],
            secret,
            "https://e.test/",
        )[0]

    return to


@pytest.fixture
def launch(project):
    return Launch.objects.create(
        project=project,
        experiment=factories.experiment(project),
        budget=Budget.objects.create(project=project),
        seed=1,
        size=3,
    )
