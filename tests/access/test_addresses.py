import pytest

from evaluations.access.addresses import client_address


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
def test_only_what_trusted_proxies_added_is_believed(rf, settings, trusted, forwarded, address):
    settings.TRUSTED_PROXIES = trusted
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": forwarded})

    assert client_address(request) == address
