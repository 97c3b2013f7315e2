"""What a connection adds to its requests: Azure's version, headers, a query. Headers are as secret as the key."""

import pytest

from evaluations.clients import ServiceError
from evaluations.clients.presets import PRESETS
from evaluations.errors import Invalid
from evaluations.evaluators import connections
from evaluations.evaluators.connections import Extras
from evaluations.models import Connection
from tests.clients.chat import reply
from tests.clients.stub import json_reply

SECRET = "gateway-secret-0123"
BODY = {"model": "m", "messages": [{"role": "user", "content": "?"}]}

pytestmark = pytest.mark.django_db


@pytest.fixture
def connect(project, settings, serve):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def connect(answer=lambda request: reply(), **extras):
        stub = serve(answer)
        return stub, connections.create(project, None, "c", stub.url, "k-secret-123", extras=Extras(**extras))

    return connect


def ask(connection):
    client = connections.chat_client(connection, 1)
    try:
        return client.answer(BODY, 5)
    finally:
        client.close()


def test_headers_and_query_are_part_of_each_request(connect):
    stub, connection = connect(headers={"X-Team": "search"}, query={"tag": "a b"})

    ask(connection)

    assert stub.headers[0]["x-team"] == "search"
    assert stub.paths == ["/v1/chat/completions?tag=a+b"]


def test_azure_gets_its_key_its_version_and_the_deployment_in_the_address(connect):
    stub, connection = connect(api_version="2024-10-21")

    ask(connection)

    assert stub.paths == ["/v1/openai/deployments/m/chat/completions?api-version=2024-10-21"]
    assert stub.headers[0]["api-key"] == "k-secret-123"


def test_headers_are_stored_encrypted_and_masked_in_answers_and_errors(connect):
    answers = iter([reply(f"You sent {SECRET}"), json_reply({"error": {"message": f"bad {SECRET}"}}, 400)])
    _, connection = connect(lambda request: next(answers), headers={"Authorization": f"Basic {SECRET}"})

    assert ask(connection).text == "You sent •••"
    with pytest.raises(ServiceError) as caught:
        ask(connection)
    assert SECRET not in caught.value.message
    assert SECRET not in Connection.objects.get().encrypted_headers
    assert Connection.objects.get().header_names == ["Authorization"]


def test_stored_headers_are_never_sent_to_a_changed_address(connect):
    _, connection = connect(headers={"X-Secret": SECRET})

    with pytest.raises(Invalid) as refusal:
        connections.change(connection, base_url="https://8.8.8.8/v1", api_key="k")

    assert refusal.value.code == "headers_required"
    connections.change(connection, base_url="https://8.8.8.8/v1", api_key="k", extras=Extras(headers={}))
    assert connections.way_of(Connection.objects.get()).headers == {}


def test_what_is_not_given_is_kept(connect):
    _, connection = connect(headers={"X-Team": "a"}, query={"a": "b"}, api_version="v1")

    connections.change(connection, name="renamed")

    way = connections.way_of(Connection.objects.get())
    assert (way.headers, way.query, way.api_version) == ({"X-Team": "a"}, {"a": "b"}, "v1")


@pytest.mark.parametrize(
    ("extras", "code"),
    [
        ({"headers": {"Host": "evil.example"}}, "invalid_headers"),
        ({"headers": {"Content-Length": "5"}}, "invalid_headers"),
        ({"headers": {"Proxy-Authorization": "x"}}, "invalid_headers"),
        ({"headers": {"X-A": "a\r\nX-B: c"}}, "invalid_headers"),
        ({"headers": {"X A": "a"}}, "invalid_headers"),
        ({"headers": {"X-A": ""}}, "invalid_headers"),
        ({"headers": {"X-A": "ü"}}, "invalid_headers"),
        ({"headers": {"X-A": "1", "x-a": "2"}}, "invalid_headers"),
        ({"headers": {f"X-{n}": "1" for n in range(21)}}, "invalid_headers"),
        ({"query": {"a b": "1"}}, "invalid_query"),
        ({"query": {"a": "1\n"}}, "invalid_query"),
        ({"api_version": "2024 10"}, "invalid_api_version"),
    ],
)
def test_what_no_request_can_carry_is_refused(project, extras, code):
    with pytest.raises(Invalid) as refusal:
        connections.create(project, None, "c", "https://8.8.8.8/v1", extras=Extras(**extras))

    assert refusal.value.code == code


def test_a_server_without_a_list_of_models_is_told_from_a_wrong_address(connect):
    stub, connection = connect()
    stub.models = json_reply({"error": "not found"}, 404)
    client = connections.client(connection)

    without_model, with_model = client.probe(""), client.probe("m")

    assert "lists no models" in without_model.message
    assert "Enter the name of a model" in without_model.message
    assert with_model.ok
    client.close()


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_the_form_is_filled_with_the_address_of_a_known_server(project, alice, client, preset):
    client.force_login(alice)

    page = client.get(f"/p/{project.slug}/connections/?provider={preset.slug}").content.decode()

    assert f'value="{preset.base_url}"' in page


def test_the_form_of_a_connection_keeps_and_removes_headers(project, alice, client, connect):
    _, connection = connect(headers={"X-Team": "a"})
    client.force_login(alice)
    address = f"/connections/{connection.pk}/"
    fields = {"name": "c", "base_url": connection.base_url, "query": "a=1"}

    client.post(address, fields)
    kept = connections.way_of(Connection.objects.get())
    client.post(address, fields | {"headers": "X-Other: b", "query": ""})
    replaced = connections.way_of(Connection.objects.get())
    client.post(address, fields | {"remove_headers": "on"})

    assert (kept.headers, kept.query) == ({"X-Team": "a"}, {"a": "1"})
    assert (replaced.headers, replaced.query) == ({"X-Other": "b"}, {})
    assert connections.way_of(Connection.objects.get()).headers == {}
