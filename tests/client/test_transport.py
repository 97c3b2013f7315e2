"""Calls of the API: retries, streams and refusals."""

import io
from urllib.parse import urlsplit

import pytest

from evalsite_client import files
from evalsite_client.errors import Refused, Unreachable
from tests.client.scripted import Answer, refusal
from tests.processes import unused_port

NOW = {"Retry-After": "0"}


def busy(status: int = 503) -> Answer:
    return Answer({"error": {"code": "busy", "message": "Later."}}, status, NOW)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(scripted, transport_to, status):
    server = scripted(busy(status), Answer({"id": 1}))

    assert transport_to(server.url).get("runs/1/") == {"id": 1}
    assert [request.path for request in server.sent] == ["/api/v1/runs/1/"] * 2


def test_a_post_is_repeated_with_its_idempotency_key_and_its_body(scripted, transport_to):
    server = scripted(busy(), Answer({"id": 1}), Answer({"id": 2}))
    transport = transport_to(server.url)

    transport.post("runs/", {"variant": "é"})
    transport.post("runs/", {"variant": "é"})

    first, again, new_call = (request.headers["Idempotency-Key"] for request in server.sent)
    assert first == again != new_call
    assert [request.body for request in server.sent] == ['{"variant": "é"}'.encode()] * 3


def test_a_broken_answer_is_asked_for_again(scripted, transport_to):
    server = scripted(Answer({"id": 1}, cut=3), Answer({"id": 1}))

    assert transport_to(server.url).post("runs/", {}) == {"id": 1}
    assert len({request.headers["Idempotency-Key"] for request in server.sent}) == 1


def test_a_refusal_is_raised_at_once_with_its_message(scripted, transport_to):
    server = scripted(refusal(400, "invalid_config", hint="Mend it.", fields={"threshold": ["Too large."]}))

    with pytest.raises(Refused) as caught:
        transport_to(server.url).post("evaluators/", {})

    assert (caught.value.status, caught.value.code) == (400, "invalid_config")
    assert str(caught.value) == "It is invalid_config. Mend it. threshold: Too large. [invalid_config]"
    assert len(server.sent) == 1


@pytest.mark.parametrize("message", ["criteria.0.rule: Unknown.", "Unknown."])
def test_a_sentence_about_a_field_appears_once(scripted, transport_to, message):
    error = {
        "code": "invalid",
        "message": message,
        "fields": {"criteria.0.rule": ["Unknown."], "name": ["Long."]},
    }
    server = scripted(Answer({"error": error}, 400))

    with pytest.raises(Refused) as caught:
        transport_to(server.url).post("gates/", {})

    assert str(caught.value) == "criteria.0.rule: Unknown. name: Long. [invalid]"


def test_a_full_disk_does_not_mend_itself(scripted, transport_to):
    server = scripted(refusal(507, "disk_full"))

    with pytest.raises(Refused, match="disk_full"):
        transport_to(server.url).post("datasets/", {})


def test_patience_ends_with_the_servers_own_words(scripted, transport_to):
    server = scripted(Answer({"error": {"code": "busy", "message": "Later."}}, 503, {"Retry-After": "3600"}))

    with pytest.raises(Refused, match="busy"):
        transport_to(server.url, patience=60).get("runs/")


def test_an_address_at_which_nobody_listens_is_unreachable(transport_to):
    with pytest.raises(Unreachable):
        transport_to(f"http://127.0.0.1:{unused_port()}", patience=0).get("runs/")


@pytest.mark.long
def test_a_reason_to_try_again_is_reported_once_for_as_long_as_it_lasts(scripted, transport_to):
    reasons = []
    broken = Answer({"error": {"code": "broken", "message": "Broken."}}, 502)
    server = scripted(busy(), busy(), broken, Answer({}))

    transport_to(server.url, on_retry=reasons.append).get("runs/")

    assert [("busy" in reason, "broken" in reason) for reason in reasons] == [(True, False), (False, True)]


def test_the_key_follows_no_link_to_another_site(scripted, transport_to):
    """A proxy may rewrite links; the part after /api/v1/ is requested from the site in the settings."""
    link = "http://elsewhere.example:9/api/v1/runs/?cursor=x%2B1"
    server = scripted(
        Answer({"results": [{"id": 1}], "next": link}), Answer({"results": [{"id": 2}], "next": None})
    )

    assert [row["id"] for row in transport_to(server.url).rows("runs/")] == [1, 2]
    assert server.sent[1].path == "/api/v1/runs/?cursor=x%2B1"


def test_a_redirect_is_not_followed_and_named(scripted, transport_to):
    elsewhere = scripted()
    server = scripted(Answer({}, 301, {"Location": f"{elsewhere.url}/api/v1/runs/"}))

    with pytest.raises(Refused, match=str(urlsplit(elsewhere.url).port)):
        transport_to(server.url).get("runs/")
    assert elsewhere.sent == []


@pytest.mark.parametrize("body", [b"<html>Hello</html>", b'"text"'])
def test_another_kind_of_site_is_noticed(scripted, transport_to, body):
    server = scripted(Answer(body, 404))

    with pytest.raises(Refused) as caught:
        transport_to(server.url).get("runs/")
    assert caught.value.code == "http_error"


def test_a_page_instead_of_json_is_refused(scripted, transport_to):
    server = scripted(Answer(b"<html>Welcome</html>"))

    with pytest.raises(Refused, match="not_json"):
        transport_to(server.url).get("runs/")


def test_a_file_is_read_while_it_is_sent(scripted, transport_to, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(b"question,answer\n" + b"1,2\n" * 100_000)
    size, progress = file.stat().st_size, []
    server = scripted(Answer({"id": 1}))

    transport_to(server.url).upload("datasets/", file, {"name": "rows"}, lambda *at: progress.append(at))

    assert file.read_bytes() in server.sent[0].body
    assert len(progress) > 3
    assert progress == sorted(progress)
    assert progress[-1] == (size, size)


def test_a_file_is_sent_whole_again(scripted, transport_to, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(b"1,2\n" * 1_000)
    server = scripted(busy(), Answer({"id": 1}))

    transport_to(server.url).upload("datasets/", file, {"name": "rows"})

    assert all(file.read_bytes() in request.body for request in server.sent)
    assert len({request.headers["Idempotency-Key"] for request in server.sent}) == 1


def test_a_download_that_breaks_begins_anew(scripted, transport_to):
    server = scripted(Answer(b"first half, second half", cut=10), Answer(b"all of it"))
    target = io.BytesIO()

    size = transport_to(server.url).download("runs/1/export/", {}, target)

    assert (target.getvalue(), size) == (b"all of it", 9)


def test_a_download_that_fails_leaves_the_older_file(scripted, transport_to, tmp_path):
    target = tmp_path / "scores.csv"
    target.write_text("older")
    server = scripted(Answer(b"half of it", cut=4), refusal(404, "not_found"))

    with pytest.raises(Refused):
        files.save(transport_to(server.url), "runs/1/export/", {}, target)

    assert target.read_text() == "older"
    assert list(tmp_path.glob("*scores.csv*")) == [target]


def test_an_address_at_which_nothing_ever_answered_is_doubted_soon(transport_to, monkeypatch):
    """A typing error in the port kept people waiting for a minute."""
    monkeypatch.setattr("evalsite_client.transport.WITHOUT_ANSWER", 0.0)
    transport = transport_to(f"http://127.0.0.1:{unused_port()}", patience=3600.0)
    said = []
    transport.on_retry = said.append

    with pytest.raises(Unreachable, match="Is the address right"):
        transport.get("runs/1/")
    assert [words.partition("? ")[2] for words in said] == ["Trying again."]


def test_a_download_is_for_its_owner_only(scripted, transport_to, tmp_path):
    """Whatever the umask: prompts and outputs are nobody else's on a shared machine."""
    server = scripted(Answer({"id": 1}))

    saved = files.save(transport_to(server.url), "runs/1/export/", {}, tmp_path / "run.csv")

    assert saved.stat().st_mode & 0o777 == 0o600
