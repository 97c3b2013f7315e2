"""A model server on this machine is allowed by one click, by an administrator who sits at it."""

import pytest
from django.test import Client

from evaluations.access import sessions
from evaluations.errors import Invalid
from evaluations.evaluators import connections
from evaluations.models import AuditEntry, Connection, LocalServer
from tests.pages import text_of

CONNECTIONS = "/p/default/connections/"
OLLAMA = {"name": "Ollama", "base_url": "http://localhost:11434/v1", "api_key": "none"}
ALLOW = OLLAMA | {"allow_local": "1"}


@pytest.fixture
def administrator(alices: Client, alice) -> Client:
    """Alice administers the whole site, from this machine."""
    alice.is_superuser = True
    alice.save()
    return alices


def test_a_refused_local_server_is_offered_and_saved_by_one_click(administrator):
    refused = administrator.post(CONNECTIONS, OLLAMA)

    assert refused.status_code == 400
    assert "Allow localhost:11434 and save" in text_of(refused)
    assert "restarts the site" not in text_of(refused)

    assert administrator.post(CONNECTIONS, ALLOW).status_code == 302

    assert Connection.objects.get().base_url == "http://localhost:11434/v1"
    assert AuditEntry.objects.get(action="local-allow").details == {"server": "localhost:11434"}


def test_only_this_host_and_port_are_allowed(administrator):
    administrator.post(CONNECTIONS, ALLOW)

    for address in ("http://localhost:11435/v1", "http://127.0.0.1:11434/v1"):
        assert administrator.post(CONNECTIONS, OLLAMA | {"base_url": address}).status_code == 400


@pytest.mark.parametrize("has_password", [True, False])
def test_the_offer_says_whether_it_asks_who_one_is(administrator, alice, has_password):
    if not has_password:
        alice.set_unusable_password()
        alice.save()
        administrator.force_login(alice)
    session = administrator.session
    session.pop(sessions.CONFIRMED, None)
    session.save()

    offer = text_of(administrator.post(CONNECTIONS, OLLAMA))

    assert ("asked to confirm that it is you" in offer) == has_password
    assert "password" not in offer
    assert (administrator.post(CONNECTIONS, ALLOW).status_code == 403) == has_password


def test_it_asks_for_the_password_and_keeps_what_was_typed(administrator):
    session = administrator.session
    session[sessions.CONFIRMED] -= sessions.CONFIRMED_FOR + 60
    session.save()

    asked = administrator.post(CONNECTIONS, ALLOW)

    assert asked.status_code == 403
    assert 'name="base_url" value="http://localhost:11434/v1"' in asked.content.decode()
    assert not LocalServer.objects.exists()


def test_others_get_no_offer_and_are_refused(alices):
    assert "Allow localhost" not in text_of(alices.post(CONNECTIONS, OLLAMA))
    assert alices.post(CONNECTIONS, ALLOW).status_code == 403
    assert not LocalServer.objects.exists()


@pytest.mark.parametrize("sent", [{"REMOTE_ADDR": "192.0.2.7"}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}])
def test_nobody_allows_a_server_from_elsewhere(administrator, sent):
    assert "Allow localhost" not in text_of(administrator.post(CONNECTIONS, OLLAMA, **sent))
    assert administrator.post(CONNECTIONS, ALLOW, **sent).status_code == 403


@pytest.mark.parametrize(
    "address", ["http://10.0.0.7:11434/v1", "http://169.254.169.254/v1", "http://localhost.evil.test/v1"]
)
def test_another_machine_cannot_be_allowed(administrator, address):
    assert administrator.post(CONNECTIONS, ALLOW | {"base_url": address}).status_code == 400
    assert not LocalServer.objects.exists()


def test_it_counts_no_more_when_the_site_gets_an_address_of_its_own(administrator, settings):
    administrator.post(CONNECTIONS, ALLOW)
    settings.URL = "https://eval.example.com"

    with pytest.raises(Invalid, match="not allowed"):
        connections.check_address(OLLAMA["base_url"])


def test_it_can_be_withdrawn(administrator):
    administrator.post(CONNECTIONS, ALLOW)
    server = LocalServer.objects.get()

    assert "localhost:11434 allowed by alice" in text_of(administrator.get(CONNECTIONS))
    administrator.post(f"{CONNECTIONS}local/{server.pk}/withdraw/")

    assert administrator.post(CONNECTIONS, OLLAMA | {"name": "again"}).status_code == 400


def test_the_fold_of_a_connection_names_the_fields_that_it_has(administrator, project, alice, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["localhost"]
    connection = connections.create(project, alice, "Ollama", OLLAMA["base_url"])
    Connection.objects.filter(pk=connection.pk).update(price_per_million=1)

    assert "Azure, headers, query, price of embeddings" in text_of(administrator.get(CONNECTIONS))
    page = text_of(administrator.get(f"/connections/{connection.pk}/"))
    assert "Azure, headers, query" in page
    assert "query, price of embeddings" not in page


def test_webhooks_do_not_call_it(administrator):
    administrator.post(CONNECTIONS, ALLOW)

    answer = administrator.post(
        "/p/default/webhooks/", {"url": "http://localhost:11434/hook", "events": ["run.completed"]}
    )

    assert answer.status_code == 400


def test_a_connection_whose_test_was_refused_is_mended_by_one_click(administrator, project, alice, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["localhost"]
    connection = connections.create(project, alice, "Ollama", OLLAMA["base_url"])
    settings.PROVIDER_ALLOWED_HOSTS = []
    test = f"/connections/{connection.pk}/test/"

    refused = text_of(administrator.post(test, {"model": ""}, follow=True))

    assert "Allow localhost:11434 and test again" in refused
    assert "restarts the site" not in refused

    administrator.post(test, {"base_url": OLLAMA["base_url"], "allow_local": "1"})

    assert str(LocalServer.objects.get()) == "localhost:11434"
    connection.refresh_from_db()
    assert "not allowed" not in connection.last_test["message"], "it was asked again"
