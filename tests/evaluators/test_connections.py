"""Connections of a project: what may be changed, and when one may be deleted."""

from decimal import Decimal

import pytest
from model_bakery import baker

from evaluations.clients import ServiceError
from evaluations.clients.server import Server
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import connections, evaluators
from evaluations.models import Project

pytestmark = pytest.mark.django_db
ADDRESS = "https://8.8.8.8/v1"


@pytest.fixture
def project():
    return baker.make(Project, name="Support", slug="support")


@pytest.fixture
def connection(project):
    return connections.create(project, None, "OpenAI", ADDRESS, "sk-1", Decimal("0.02"))


def using(project, connection, name="Meaning"):
    config = {"connection": connection.pk, "model": "m"}
    return evaluators.create(project, None, name, "semantic_similarity", config, {})


def test_null_removes_a_price(connection):
    connections.change(connection, name="Renamed")
    assert connection.price_per_million == Decimal("0.02")

    connections.change(connection, price_per_million=None)

    connection.refresh_from_db()
    assert connection.price_per_million is None


@pytest.mark.parametrize("key", ["two words", " sk-1", "sk\t1", "schlüssel", "k" * 1_001])
def test_a_key_that_no_call_can_carry_is_refused_when_it_is_saved(project, key):
    with pytest.raises(Invalid) as refusal:
        connections.create(project, None, "OpenAI", ADDRESS, key)

    assert refusal.value.code == "invalid_key"
    with pytest.raises(ServiceError):
        Server(ADDRESS, key, connections.guard(), 1)


def test_a_connection_that_an_evaluator_names_is_not_deleted(project, connection):
    using(project, connection)

    with pytest.raises(Conflict):
        connections.delete(connection)


def test_a_connection_that_only_an_older_version_names_can_be_deleted(project, connection):
    evaluator = using(project, connection)
    evaluators.change(evaluator, None, config={"connection": None, "model": "m"})

    connections.delete(connection)

    connection.refresh_from_db()
    assert connection.deleted_at


def test_connections_with_similar_ids_are_not_confused(project, connection):
    connection_with_longer_id = connections.create(project, None, "Other", ADDRESS)
    type(connection_with_longer_id).objects.filter(pk=connection_with_longer_id.pk).update(
        id=connection.pk * 10 + 1
    )
    using(project, type(connection_with_longer_id).objects.get(pk=connection.pk * 10 + 1))

    connections.delete(connection)

    connection.refresh_from_db()
    assert connection.deleted_at


def test_the_project_forgets_a_default_connection_that_is_deleted(project, connection):
    connections.delete(connection)

    project.refresh_from_db()
    assert project.default_connection is None
