"""Links that no longer work: whoever asks an administrator about one can name the request."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/signin/link/gone/", "/invite/gone/", "/s/gone/", "/rate/gone/"])
def test_a_dead_link_names_the_request(client, address):
    answer = client.get(address)

    assert answer.status_code == 410
    assert answer["X-Request-ID"] in answer.content.decode()
