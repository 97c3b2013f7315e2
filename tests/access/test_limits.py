"""Limits on calls per minute and on concurrent work."""

from contextlib import closing
from threading import BoundedSemaphore

import pytest
from django.core.cache import cache
from django.test import Client

from evaluations.access import api_keys, limits
from evaluations.errors import TooManyRequests
from evaluations.evaluators import connections
from tests import processes
from tests.clients.stub import Stub, json_reply


@pytest.fixture(autouse=True)
def clock(monkeypatch) -> list[float]:
    """A clock that stands at 20 seconds past a minute until a test moves it."""
    times = [6_020.0]
    monkeypatch.setattr(limits, "clock", lambda: times[0])
    cache.clear()
    return times


def test_the_next_after_the_most_waits_for_the_next_minute(clock):
    assert [limits.wait("name", 3) for _ in range(5)] == [0, 0, 0, 40, 40]

    clock[0] += 40
    assert limits.wait("name", 3) == 0


def test_others_are_counted_for_themselves():
    assert [limits.wait(name, 1) for name in ("one", "two", "one")] == [0, 0, 40]


@pytest.fixture
def redis_cache(settings, redis):
    def use(address: str) -> None:
        kind = "django.core.cache.backends.redis.RedisCache"
        options = {"socket_connect_timeout": 0.2, "socket_timeout": 0.2}
        settings.CACHES = {"default": {"BACKEND": kind, "LOCATION": address, "OPTIONS": options}}

    return use


def test_a_redis_counts_for_all_processes(redis_cache, redis):
    redis_cache(redis.url.replace("redis+socket://", "unix://", 1))
    cache.clear()

    assert [limits.wait("name", 2) for _ in range(3)] == [0, 0, 40]


def test_a_redis_that_is_away_limits_nobody(redis_cache):
    redis_cache(f"redis://127.0.0.1:{processes.unused_port()}")

    assert [limits.wait("name", 1) for _ in range(3)] == [0, 0, 0]


# ---- limited calls ----


def test_the_refusal_of_a_key_that_calls_too_often_says_when_to_retry(project, settings):
    settings.EVALSITE_API_RATE = 3
    keys = [api_keys.create_key(project, None, name, "read")[1] for name in ("busy", "quiet")]

    def call(key: str):
        return Client().get("/api/v1/runs/", headers={"Authorization": f"Bearer {key}"})

    answers = [call(keys[0]) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1]["Retry-After"] == "40"
    assert answers[-1].json()["error"]["code"] == "too_many_requests"
    assert call(keys[1]).status_code == 200


def test_an_address_tries_thirty_passwords_a_minute_whatever_the_names(client, alice, clock):
    credentials = {"username": "alice", "password": "alice's long password"}
    for n in range(30):
        client.post("/signin/", {"username": f"name {n}", "password": "wrong"})

    response = client.post("/signin/", credentials)

    assert (response.status_code, response["Retry-After"]) == (429, "40")
    assert client.post("/signin/", credentials, REMOTE_ADDR="192.0.2.7").status_code == 302


def test_an_address_may_try_again_in_the_next_minute(client, alice, clock):
    for n in range(31):
        client.post("/signin/", {"username": f"name {n}", "password": "wrong"})
    clock[0] += 40

    response = client.post("/signin/", {"username": "alice", "password": "alice's long password"})

    assert response.status_code == 302


def test_pages_and_api_share_the_limit_of_connection_tests(client, alice, project, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    connection = connections.create(project, alice, "Nobody listens", "http://127.0.0.1:9/v1")
    key = {"Authorization": f"Bearer {api_keys.create_key(project, alice, 'k', 'write')[1]}"}
    client.force_login(alice)

    answers = [client.post(f"/connections/{connection.pk}/test/", {"model": "m"}) for _ in range(10)]
    answers.append(
        Client().post(
            f"/api/v1/connections/{connection.pk}/test/", {"model": "m"}, "application/json", headers=key
        )
    )

    assert [answer.status_code for answer in answers] == [302] * 10 + [429]
    assert answers[-1]["Retry-After"] == "40"


def test_wrong_keys_are_limited_by_address_and_right_ones_never(project, monkeypatch, settings):
    settings.EVALSITE_API_RATE = 6_000
    monkeypatch.setattr("evaluations.api.authentication.WRONG_KEYS", 3)
    key_text = api_keys.create_key(project, None, "right", "read")[1]

    def status(key: str, address: str = "198.51.100.7") -> int:
        headers = {"Authorization": f"Bearer {key}"}
        return Client(REMOTE_ADDR=address).get("/api/v1/projects/current/", headers=headers).status_code

    assert [status(f"{key_text}{n}") for n in range(4)] == [401, 401, 401, 429]
    assert status(key_text) == 200
    assert status("evk_another", address="198.51.100.8") == 401


def test_the_refusal_of_wrong_keys_says_when_to_retry(project, monkeypatch, settings):
    settings.EVALSITE_API_RATE = 6_000
    monkeypatch.setattr("evaluations.api.authentication.WRONG_KEYS", 0)

    answer = Client().get("/api/v1/projects/current/", headers={"Authorization": "Bearer evk_wrong"})

    assert (answer.status_code, answer["Retry-After"]) == (429, "40")
    assert answer.json()["error"]["code"] == "too_many_requests"


# ---- limits in one process ----


@pytest.fixture
def stub(settings):
    """A server that refuses every key, and a connection of the project to it."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    with closing(Stub(lambda request: json_reply({"error": {"message": "no"}}, 401))) as running:
        yield running


def score(key: str, items: int = 1):
    body = {
        "kind": "semantic_similarity",
        "config": {},
        "items": [{"actual": f"text {n}", "expected": "text"} for n in range(items)],
        "explain": True,
        "max_calls": 1_000,
    }
    headers = {"Authorization": f"Bearer {key}"}
    return Client().post("/api/v1/score/", body, "application/json", headers=headers)


def test_a_slot_is_free_again_after_an_error():
    slots = BoundedSemaphore(1)
    with pytest.raises(ValueError), limits.one_of(slots, "Busy."):
        raise ValueError

    with limits.one_of(slots, "Busy."), pytest.raises(TooManyRequests), limits.one_of(slots, "Busy."):
        pass


@pytest.mark.parametrize("slots", ["SERVER_CALLS", "SCORE_CALLS"])
def test_the_refusal_of_a_call_without_a_free_slot_says_when_to_retry(project, stub, monkeypatch, slots):
    connections.create(project, None, "Server", stub.url)
    key = api_keys.create_key(project, None, "k", "run")[1]
    semaphore = BoundedSemaphore(1)
    monkeypatch.setattr(limits, slots, semaphore)

    with limits.one_of(semaphore, ""):
        response = score(key)

    assert (response.status_code, response["Retry-After"]) == (429, "5")
    assert response.json()["error"]["code"] == "too_many_requests"
    assert score(key).status_code == 200


def test_a_connection_is_not_tested_while_too_many_servers_are_called(
    client, alice, project, stub, monkeypatch
):
    connection = connections.create(project, alice, "Server", stub.url)
    client.force_login(alice)
    monkeypatch.setattr(limits, "SERVER_CALLS", semaphore := BoundedSemaphore(1))

    with limits.one_of(semaphore, ""):
        response = client.post(f"/connections/{connection.pk}/test/", {"model": "m"})

    assert (response.status_code, response["Retry-After"]) == (429, "5")


def test_a_text_that_failed_is_not_sent_again_to_explain_it(project, stub):
    connections.create(project, None, "Server", stub.url)

    answer = score(api_keys.create_key(project, None, "k", "run")[1], items=3)

    assert answer.status_code == 200
    assert len(stub.requests) == 1
