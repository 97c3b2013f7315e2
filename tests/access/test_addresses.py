"""The client's address behind proxies, and the public address of the site."""

import pytest

from evaluations.access.addresses import client_address, client_network, public_address


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        (0, "6.6.6.6", "10.0.0.1"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "", "10.0.0.1"),
    ],
)
def test_only_addresses_added_by_trusted_proxies_count(rf, settings, trusted, forwarded, address):
    settings.TRUSTED_PROXIES = trusted
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded})

    assert client_address(request) == address


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("192.0.2.1:50123", "192.0.2.1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unknown", "10.0.0.1"),
    ],
)
def test_an_address_that_a_proxy_saw_is_known_however_it_is_written(rf, settings, forwarded, address):
    settings.TRUSTED_PROXIES = 1
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded})

    assert client_address(request) == address


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"),
    ],
)
def test_limits_count_the_network_of_one_customer(rf, address, network):
    assert client_network(rf.get("/", REMOTE_ADDR=address)) == network


@pytest.mark.long
def test_wrong_passwords_from_other_ports_and_neighbours_are_counted_together(client, alice, settings):
    settings.TRUSTED_PROXIES = 1

    def sign_in(password: str, caller: str) -> int:
        form = {"username": "alice", "password": password}
        return client.post("/signin/", form, headers={"X-Forwarded-For": caller}).status_code

    for n in range(6):
        sign_in("wrong", f"192.0.2.1:{50_000 + n}")
        sign_in("wrong", f"[2001:db8::{n}]:443")

    assert sign_in("alice's long password", "192.0.2.1:60000") == 429
    assert sign_in("alice's long password", "2001:db8::99") == 429
    assert sign_in("alice's long password", "192.0.2.2") == 302


@pytest.mark.parametrize(
    ("site_url", "link"),
    [("https://eval.example.com", "https://eval.example.com/x"), ("", "http://testserver/x")],
)
def test_links_for_people_use_the_address_of_the_site(rf, settings, site_url, link):
    settings.GIVEN_URL = settings.URL = site_url
    settings.ORIGIN = site_url or settings.ORIGIN

    assert public_address(rf.get("/"), "/x") == link
