"""Prices of a connection's models, by the API."""

import pytest

from evaluations.models import Price, Scope

from .conftest import program

SENT = {"model": "gpt-4.1-nano", "input": "0.10", "output": "0.4", "valid_from": "2026-03-01"}


@pytest.fixture
def connection(writer, settings) -> dict:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    return writer.create("connections/", {"name": "local", "base_url": "http://127.0.0.1:9/v1"})


@pytest.fixture
def address(connection) -> str:
    return f"connections/{connection['id']}/prices/"


def test_a_price_that_was_set_can_be_read(writer, address):
    price = writer.create(address, SENT)

    assert price == {
        "id": price["id"],
        "model": "gpt-4.1-nano",
        "input": "0.10",
        "cached": None,
        "output": "0.40",
        "valid_from": "2026-03-01",
    }
    assert writer.get(address).json()["results"] == [price]
    assert writer.get(f"prices/{price['id']}/").json() == price


def test_a_price_is_deleted(writer, address):
    price = writer.create(address, SENT)

    assert writer.delete(f"prices/{price['id']}/").status_code == 204
    assert writer.get(address).json()["results"] == []


def test_the_price_of_the_same_day_is_replaced(writer, address):
    first = writer.create(address, SENT)

    replacement = writer.post(address, SENT | {"input": "0.2", "cached": "0.05"})

    assert (replacement.status_code, replacement.json()["id"], replacement.json()["cached"]) == (
        200,
        first["id"],
        "0.05",
    )


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"input": 0.1}, "invalid"),
        ({"input": "a"}, "invalid_amount"),
        ({"output": "-1"}, "invalid_amount"),
        ({"cached": "1e3"}, "invalid_amount"),
        ({"valid_from": "1 March"}, "invalid"),
        ({"valid_from": 20260301}, "invalid"),
        ({"model": "  "}, "required"),
        ({"model": "m" * 201}, "max_length"),
        ({"currency": "EUR"}, "unknown_field"),
    ],
)
def test_a_price_that_cannot_be_used_is_refused(writer, address, change, code):
    answer = writer.post(address, SENT | change)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Price.objects.exists()


def test_a_key_without_the_right_to_write_connections_only_reads_prices(writer, reader, address):
    price = writer.create(address, SENT)

    assert reader.get(address).json()["results"] == [price]
    assert reader.post(address, SENT).status_code == 403
    assert reader.delete(f"prices/{price['id']}/").status_code == 403


def test_prices_of_a_deleted_connection_are_gone_with_it(writer, address, connection):
    price = writer.create(address, SENT)
    writer.delete(f"connections/{connection['id']}/")

    assert writer.get(f"prices/{price['id']}/").status_code == 404


def test_administrators_set_the_currency(project, writer):
    admin = program(project, Scope.ADMIN)

    assert admin.get("projects/current/").json()["currency"] == "USD"
    assert admin.patch("projects/current/", {"currency": "EUR"}).json()["currency"] == "EUR"
    assert admin.patch("projects/current/", {"currency": "euro"}).status_code == 400
    assert writer.patch("projects/current/", {"currency": "CHF"}).status_code == 403
    assert admin.get("projects/current/").json()["currency"] == "EUR"


def test_administrators_set_the_monthly_limit(project):
    admin = program(project, Scope.ADMIN)

    limited = admin.patch("projects/current/", {"monthly_limit": "12.5"}).json()
    freed = admin.patch("projects/current/", {"monthly_limit": None}).json()

    assert (limited["monthly_limit"], limited["spent_this_month"]) == ("12.50", "0.00")
    assert freed["monthly_limit"] is None


def test_a_monthly_limit_of_another_form_is_refused(project, writer):
    refused = program(project, Scope.ADMIN).patch("projects/current/", {"monthly_limit": "-1"})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_amount")
    assert writer.patch("projects/current/", {"monthly_limit": "1"}).status_code == 403
