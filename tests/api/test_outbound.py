"""Connections never reach a forbidden address; a listener would notice a call."""

import socket
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.db import transaction

from evaluations.clients import Guard
from evaluations.evaluators import connections
from evaluations.models import Connection
from tests.clients.test_addresses import LOCAL, METADATA

from .test_bodies import error

SPELLINGS = [
    "127.0.0.1",
    "localhost",
    "127.1",
    "0",
    "2130706433",
    "0x7f000001",
    "[::1]",
    "[::ffff:127.0.0.1]",
]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


def was_called(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def test_no_form_of_an_address_inside_is_saved(writer):
    """45 forms; 15 of them lead to the metadata of a cloud."""
    answers = [writer.post("connections/", {"name": url, "base_url": url}) for url in METADATA + LOCAL]

    assert len(answers) >= 40
    assert {(answer.status_code, error(answer)["code"]) for answer in answers} == {
        (400, "address_not_allowed")
    }
    assert writer.get("connections/").json()["results"] == []


@pytest.mark.parametrize("host", SPELLINGS)
def test_an_address_that_was_saved_before_it_was_forbidden_is_not_called(writer, listener, settings, host):
    url = f"http://{host}:{listener.getsockname()[1]}/v1"
    cache.clear()
    pk = writer.create("connections/", {"name": "Server", "base_url": "https://8.8.8.8/v1"})["id"]
    Connection.objects.update(base_url=url)
    config = {"connection": pk, "model": "m"}
    items = [{"actual": "a", "expected": "b"}]

    tested = writer.post(f"connections/{pk}/test/", {"model": "m"}).json()
    body = {"kind": "semantic_similarity", "config": config, "items": items, "max_calls": 1}
    scored = writer.post("score/", body).json()
    moved = writer.patch(f"connections/{pk}/", {"base_url": f"{url}/other", "api_key": ""})

    assert (tested["ok"], tested["code"]) == (
        False,
        "no_answer",
    )  # the same message for all, so that a test is no port scanner
    assert scored["results"][0]["status"] == "error"
    assert moved.status_code == 400
    assert not was_called(listener)


def test_a_name_is_looked_up_before_the_transaction(writer, monkeypatch):
    """SQLite has one writer: nobody waits for a name server while holding it."""
    thread_connection = transaction.get_connection()
    before, depths = len(thread_connection.savepoint_ids), []

    def resolve(host: str, port: int, **options: object) -> list:
        depths.append(len(thread_connection.savepoint_ids))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", port))]

    monkeypatch.setattr(connections, "_guard", lambda: Guard(resolver=resolve))
    body = {"name": "Server", "base_url": "https://names.example/v1"}

    response = writer.post("connections/", body, **{"Idempotency-Key": "once"})

    assert response.status_code == 201, response.content
    assert set(depths) == {before}
