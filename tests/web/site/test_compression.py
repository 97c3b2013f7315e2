"""Pages are compressed; answers whose exact bytes matter are not."""

import gzip

GZIP = {"accept-encoding": "gzip"}


def test_a_page_is_compressed_for_browsers_that_ask_for_it(client, alice, project):
    client.force_login(alice)

    page = client.get("/account/", headers=GZIP)

    assert page["Content-Encoding"] == "gzip"
    assert gzip.decompress(page.content).lstrip().startswith(b"<!")
    assert "Accept-Encoding" in page["Vary"]
    assert "Content-Encoding" not in client.get("/account/")


def test_equal_pages_have_different_sizes(client, alice, project):
    """Otherwise the size would let a stranger who can add text to a page guess a secret on it (BREACH)."""
    client.force_login(alice)

    assert len({len(client.get("/account/", headers=GZIP).content) for _ in range(20)}) > 1


def test_answers_of_the_api_keep_strong_etags(client, alice, project):
    answer = client.get("/api/v1/schema/", headers=GZIP)

    assert "Content-Encoding" not in answer
