"""A repeated request does its work once, whatever failed in between."""

from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone

from evaluations.api.rendering import JSONRenderer
from evaluations.models import Dataset, IdempotentAnswer, Run
from evaluations.upkeep import purging

from .conftest import import_all
from .test_bodies import error

BODY = {"name": "Once", "examples": [{"inputs": "x"}]}


def keyed(key: str = "k1") -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_the_same_request_gets_the_same_answer(writer):
    first = writer.post("datasets/", BODY, **keyed())
    second = writer.post("datasets/", BODY, **keyed())

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replayed"] == "true"
    assert Dataset.objects.count() == 1


def test_the_order_of_fields_is_not_part_of_the_request(writer):
    writer.post("datasets/", b'{"name": "Once", "examples": []}', **keyed())

    assert writer.post("datasets/", b'{"examples": [], "name": "Once"}', **keyed()).status_code == 201


@pytest.mark.parametrize(
    ("path", "body"), [("datasets/", {"name": "Twice", "examples": []}), ("evaluators/", BODY)]
)
def test_another_request_under_the_same_key_is_refused(writer, path, body):
    writer.post("datasets/", BODY, **keyed())

    response = writer.post(path, body | {"kind": "exact_match"} if path == "evaluators/" else body, **keyed())

    if path == "datasets/":
        assert (response.status_code, error(response)["code"]) == (409, "idempotency_mismatch")
    assert Dataset.objects.count() == 1


def test_keys_of_another_program_are_independent(writer, stranger):
    writer.post("datasets/", BODY, **keyed())

    assert "Idempotent-Replayed" not in stranger.post("datasets/", BODY, **keyed()).headers
    assert Dataset.objects.count() == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "x" * 300, "a\x01b"])
def test_a_key_has_1_to_255_printable_characters(writer, key):
    response = writer.post("datasets/", BODY, **keyed(key))

    assert (response.status_code, error(response)["code"]) == (400, "invalid_idempotency_key")
    assert not Dataset.objects.exists()


def test_a_key_is_checked_where_nothing_is_stored_as_well(writer, completed):
    body = {"evaluators": [], "estimate_only": True}
    response = writer.post(f"runs/{completed['id']}/scorings/", body, **keyed("x" * 256))

    assert (response.status_code, error(response)["code"]) == (400, "invalid_idempotency_key")


def test_a_refusal_is_not_remembered(writer, dataset):
    body = {"name": "Capitals", "examples": []}
    assert writer.post("datasets/", body, **keyed()).status_code == 409
    writer.delete(f"datasets/{dataset['id']}/")

    assert writer.post("datasets/", body, **keyed()).status_code == 201


def test_a_request_that_was_cut_off_can_be_sent_again_at_once(writer, monkeypatch):
    """Neither the object it created nor its key remains."""
    monkeypatch.setattr(JSONRenderer, "render", cut_off)
    assert writer.post("datasets/", BODY, **keyed()).status_code == 500
    monkeypatch.undo()
    assert not Dataset.objects.exists()

    assert writer.post("datasets/", BODY, **keyed()).status_code == 201


def cut_off(*_):
    raise ConnectionError


def test_a_file_is_known_by_its_content(writer):
    responses = [
        writer.upload("datasets/", content, filename, name="Once", headers=keyed())
        for content, filename in ((b"q\n1\n", "a.csv"), (b"q\n1\n", "b.csv"), (b"q\n2\n", "a.csv"))
    ]
    import_all()

    assert [response.status_code for response in responses] == [202, 202, 409]
    assert error(responses[2])["code"] == "idempotency_mismatch"
    assert responses[0].json()["id"] == responses[1].json()["id"]
    assert Dataset.objects.count() == 1


def test_a_file_that_was_not_needed_is_not_kept(writer, settings):
    before = files_in(settings.MEDIA_ROOT)
    for _ in range(2):
        writer.upload("datasets/", b"q\n1\n", name="Once", headers=keyed())
    waiting = files_in(settings.MEDIA_ROOT) - before
    import_all()

    assert len(waiting) == 1
    assert not files_in(settings.MEDIA_ROOT) & waiting


def files_in(folder: Path) -> set[Path]:
    """Its tables; other tests leave some too, and their texts may still come."""
    return {path for path in folder.glob("*.csv") if path.is_file()}


def test_starting_a_run_twice_under_one_key_is_one_start(writer, draft):
    first = writer.post(f"runs/{draft['id']}/start/", **keyed())
    second = writer.post(f"runs/{draft['id']}/start/", **keyed())

    assert (first.status_code, second.status_code) == (200, 200)
    assert Run.objects.get().jobs.count() == 1


def at_once(count: int, call) -> list:
    """The answers to `count` concurrent calls in threads."""
    barrier, answers = Barrier(count), []

    def work() -> None:
        barrier.wait()
        try:
            answers.append(call())
        finally:
            connection.close()

    threads = [Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.django_db(transaction=True)
def test_twenty_concurrent_requests_with_one_key_do_the_work_once(writer):
    answers = at_once(20, lambda: writer.post("datasets/", BODY, **keyed()))

    assert [answer.status_code for answer in answers] == [201] * 20
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Dataset.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_of_one_name_at_once_make_one(writer):
    answers = at_once(20, lambda: writer.post("datasets/", BODY))

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 19
    assert {error(answer)["code"] for answer in answers if answer.status_code == 409} == {"name_taken"}
    assert Dataset.objects.count() == 1


def test_an_answer_is_remembered_for_a_day(writer):
    for key, hours in (("old", 25), ("fresh", 23)):
        writer.post("datasets/", BODY | {"name": key}, **keyed(key))
        answers = IdempotentAnswer.objects.filter(key=key)
        answers.update(created_at=timezone.now() - timedelta(hours=hours))

    purging.purge()

    assert IdempotentAnswer.objects.get().key == "fresh"
