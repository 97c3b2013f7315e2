"""Examples, servers and prompts for trials."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from evaluations.evaluators import connections
from evaluations.models import Connection, Dataset, Project, Prompt
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.clients.stub import Stub

PRICE = 1_000_000  # one unit of the currency per million tokens
WORST = 10**6  # of a token, in the ledger's unit


@pytest.fixture
def capitals(project: Project) -> Dataset:
    """Six examples with the questions q1 to q6."""
    return factories.dataset(project, ["Paris", "Rome", "Oslo", "Bern", "Riga", "Wien"])


@pytest.fixture
def server(project: Project, settings: Any) -> Callable[[Stub], Connection]:
    """Makes a connection to a stub server, with a price for the model “tiny”."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def make(stub: Stub) -> Connection:
        connection = connections.create(project, None, f"server {stub.port}", stub.url, "k-secret-123")
        prices.set_price(connection, "tiny", PRICE, PRICE, None, timezone.now().date())
        project.refresh_from_db()
        return connection

    return make


@pytest.fixture
def prompt(project: Project, server: Callable[[Stub], Connection]) -> Callable[..., Prompt]:
    """Makes a prompt that a stub server answers."""

    def make(stub: Stub, template: str = "Where is {{ question }}?", **parameters: Any) -> Prompt:
        messages = [{"role": "user", "content": template}]
        content = Content(messages, "tiny", parameters, connection=server(stub))
        return prompts.create(project, None, "where", content)

    return make
