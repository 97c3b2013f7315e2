"""Embeddings: order, batches, retries, the differences between servers, and the messages that users read."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import numpy as np
import pytest

from evaluations.clients import Guard, Interrupted, OpenAIClient, ServiceError, answers
from tests.clients.stub import Reply, embedded, infinity, json_reply, to_base64, vector

FAKE = Path(__file__).parents[3] / "shared" / "tools" / "fake_openai.py"


def texts(count):
    return [f"text number {n}" for n in range(count)]


def then(*replies):
    """A stub's `answer`: these replies first, good ones afterwards; a callable makes its reply from the request."""
    remaining = list(replies)

    def answer(request):
        reply = remaining.pop(0) if remaining else embedded
        return reply(request) if callable(reply) else reply

    return answer


def always(reply):
    return lambda request: reply


def error(status, message="no", **headers):
    return json_reply({"error": {"message": message, "type": "t"}}, status, **headers)


def codes(result):
    return {index: problem.code for index, problem in result.errors.items()}


# ---- good servers ----


@pytest.mark.parametrize("encode", [list, to_base64], ids=["numbers", "base64"])
def test_each_text_gets_its_own_vector(connect, serve, encode):
    client = connect(serve(lambda request: embedded(request, encode=encode)))

    result = client.embed("m", ["b", "a"])

    assert [array.dtype for array in result.vectors] == [np.float32] * 2
    np.testing.assert_allclose(result.vectors, [vector("b"), vector("a")], rtol=1e-6)
    assert (result.dimension, result.tokens, result.calls, result.errors) == (4, 2, 1, {})


def test_items_are_placed_by_their_index(connect, serve):
    def shuffled(request):
        answer = json.loads(embedded(request).body)
        answer["data"].reverse()
        return json_reply(answer)

    result = connect(serve(shuffled)).embed("m", ["a", "b", "c"])

    np.testing.assert_allclose(result.vectors, [vector(text) for text in "abc"], rtol=1e-6)


def test_items_without_an_index_are_placed_by_position(connect, serve):
    def unnumbered(request):
        return json_reply({"data": [{"embedding": vector(text)} for text in request["input"]]})

    result = connect(serve(unnumbered)).embed("m", ["a", "b"])

    np.testing.assert_allclose(result.vectors, [vector("a"), vector("b")], rtol=1e-6)
    assert result.tokens == 0


def test_a_text_is_paid_once(connect, serve):
    stub = serve()

    result = connect(stub).embed("m", ["a", "b", "a"])

    assert stub.requests[0]["input"] == ["a", "b"]
    np.testing.assert_array_equal(result.vectors[0], result.vectors[2])


def test_a_blank_or_broken_text_is_an_error_without_a_call(connect, serve):
    stub = serve()

    result = connect(stub).embed("m", ["", " \n", "\ud800"])

    assert codes(result) == {0: "blank", 1: "blank", 2: "invalid_character"}
    assert all(problem.permanent for problem in result.errors.values())
    assert stub.requests == []


def test_nothing_to_embed_is_no_call(connect, serve):
    stub = serve()

    assert connect(stub).embed("m", []).vectors == []
    assert stub.requests == []


def test_dimensions_are_asked_for_only_when_given(connect, serve):
    stub = serve()
    client = connect(stub)

    client.embed("m", ["a"])
    client.embed("m", ["a"], dimensions=4)

    assert [request.get("dimensions") for request in stub.requests] == [None, 4]


def test_vectors_are_asked_for_in_their_shortest_form(connect, serve):
    stub = serve()

    connect(stub).embed("m", ["a"])

    assert stub.requests[0]["encoding_format"] == "base64"


@pytest.mark.parametrize("wrap", [b"\xef\xbb\xbf%s", b" %s "])
def test_a_byte_order_mark_and_a_wrong_type_do_no_harm(connect, serve, wrap):
    client = connect(
        serve(lambda request: Reply(wrap % embedded(request).body, headers={"Content-Type": "text/plain"}))
    )

    assert client.embed("m", ["a"]).errors == {}


# ---- batches ----


def test_a_call_holds_at_most_256_texts(connect, serve):
    stub = serve()

    result = connect(stub).embed("m", texts(600))

    assert stub.sizes == [256, 256, 88]
    assert result.calls == 3
    assert all(array is not None for array in result.vectors)


def test_a_call_holds_at_most_250_000_characters(connect, serve):
    stub = serve()

    connect(stub).embed("m", [letter * 100_000 for letter in "abcde"])

    assert stub.sizes == [2, 2, 1]


def test_calls_run_at_the_same_time_but_no_more_than_allowed(connect, serve):
    meeting = threading.Barrier(3, timeout=30)

    def meet(request):
        meeting.wait()
        return embedded(request)

    result = connect(serve(meet), concurrency=3).embed("m", texts(256 * 6))

    assert result.errors == {}


def test_results_are_handed_over_as_they_arrive_in_the_callers_thread(connect, serve):
    stub, calls = serve(), []

    def keep(batch, vectors):
        calls.append((len(batch), len(vectors), len(stub.requests), threading.current_thread()))

    connect(stub).embed("m", texts(600), on_batch=keep)

    assert [entry[:2] for entry in calls] == [(256, 256), (256, 256), (88, 88)]
    assert calls[0][2] < 3
    assert {entry[3] for entry in calls} == {threading.current_thread()}


def test_arrived_vectors_reach_the_callback_when_the_rest_fails(connect, serve):
    batches = []

    result = connect(serve(then(embedded, error(401)))).embed(
        "m", texts(300), on_batch=lambda *b: batches.append(b)
    )

    assert [len(batch) for batch, _vectors in batches] == [256]
    assert len(result.errors) == 44


def test_a_callback_that_fails_ends_the_calls_under_way(connect, serve):
    """The first batch is being retried, its pause lasts until the callback of the second has failed."""
    failed = threading.Event()
    stub = serve(lambda request: error(503) if "text number 0" in request["input"] else embedded(request))
    client = connect(stub, concurrency=2, sleep=lambda seconds: failed.wait(10))

    def full(_texts, _vectors):
        failed.set()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        client.embed("m", texts(512), on_batch=full)

    assert len(stub.requests) < 1 + 6


def test_a_callback_that_returns_false_stops_further_calls(connect, serve):
    meeting = threading.Barrier(2, timeout=30)

    def meet(request):
        meeting.wait()
        return embedded(request)

    stored_texts, stub = [], serve(meet)

    def enough(batch, _vectors):
        stored_texts.extend(batch)
        return False

    with pytest.raises(Interrupted):
        connect(stub, concurrency=2).embed("m", texts(256 * 4), on_batch=enough)

    assert sorted(stored_texts) == sorted(texts(256 * 2))


def test_a_callback_that_declines_the_last_answer_changes_nothing(connect, serve):
    result = connect(serve()).embed("m", texts(100), on_batch=lambda *_: False)

    assert result.errors == {}


def test_the_time_limit_starts_again_with_every_answer(connect, serve, nap):
    def slow(request):
        nap.time += 50
        return embedded(request)

    result = connect(serve(slow)).embed("m", texts(256 * 4), deadline=60)

    assert result.errors == {}


def test_usage_is_counted_as_it_arises(connect, serve):
    usage, usages = Counter(calls=7), []

    connect(serve()).embed("m", texts(300), on_batch=lambda *_: usages.append(dict(usage)), usage=usage)

    assert usages == [{"calls": 8, "tokens": 256}, {"calls": 9, "tokens": 300}]


def test_an_interrupt_does_not_wait_for_the_calls_under_way(connect, serve):
    over = threading.Event()

    def slow(request):
        if "text number 0" not in request["input"]:
            over.wait(20)
        return embedded(request)

    def stop_at_once(_texts, _vectors):
        raise KeyboardInterrupt

    client, began = connect(serve(slow), concurrency=2), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        client.embed("m", texts(512), on_batch=stop_at_once)
    seconds = time.monotonic() - began
    over.set()

    assert seconds < 10


# ---- refused batches ----


def test_a_server_that_takes_fewer_texts_gets_smaller_batches(connect, serve):
    stub = serve(infinity)

    result = connect(stub).embed("tiny", texts(600))

    assert result.errors == {}
    assert max(stub.sizes[-70:]) <= 8
    assert result.tokens == sum(map(len, texts(600)))


def test_a_too_long_text_does_not_fail_the_others(connect, serve):
    def picky(request):
        return (
            error(400, "maximum context length")
            if max(map(len, request["input"])) > 1_000
            else embedded(request)
        )

    result = connect(serve(picky)).embed("m", [*texts(50), "x" * 2_000, *texts(99)[50:]])

    assert codes(result) == {50: "refused"}
    assert result.errors[50].permanent
    assert result.errors[50].message == "The server answered 400: maximum context length"


def test_a_server_that_refuses_everything_is_asked_twice(connect, serve):
    stub = serve(always(error(400, "unknown model")))

    result = connect(stub).embed("m", texts(1_000))

    assert stub.sizes == [256, 1]
    assert set(codes(result).values()) == {"refused"}


# ---- trouble ----


@pytest.mark.parametrize("status", [400, 401, 403, 404, 402, 405])
def test_a_permanent_error_is_not_retried(connect, serve, nap, status):
    stub = serve(always(error(status)))

    result = connect(stub).embed("m", ["a"])

    assert result.calls == len(stub.requests) == 1
    assert result.errors[0].permanent
    assert nap.pauses == []


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_a_passing_error_is_retried(connect, serve, nap, status):
    stub = serve(then(error(status), error(status)))

    result = connect(stub).embed("m", ["a"])

    assert result.errors == {}
    assert result.calls == len(stub.requests) == 3
    assert 0 <= nap.pauses[0] <= 1
    assert 0 <= nap.pauses[1] <= 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b""),
        Reply(b"<html>captive portal</html>"),
        Reply(b"half", headers={"Content-Length": "8", "Connection": "close"}),
        json_reply({"data": []}),
        json_reply({"data": None}),
        json_reply([]),
        json_reply({"data": [5]}),
        json_reply({"data": [{"index": 7, "embedding": [1.0]}]}),
        json_reply({"data": [{"index": True, "embedding": [1.0]}]}),
        json_reply({"data": [{"index": 0, "embedding": "not base64"}]}),
        json_reply({"data": [{"index": 0, "embedding": []}]}),
        json_reply({"data": [{"index": 0, "embedding": [[1.0]]}]}),
        json_reply({"data": [{"index": 0, "embedding": ["x"]}]}),
        json_reply(b"[" * 100_000),
    ],
)
def test_a_malformed_answer_is_retried(connect, serve, reply):
    result = connect(serve(then(reply))).embed("m", ["a"])

    assert result.errors == {}
    assert result.calls == 2


def test_a_server_that_stays_broken_is_given_up_after_six_calls(connect, serve, nap):
    stub = serve(always(error(500, "boom")))

    result = connect(stub).embed("m", texts(600))

    assert len(stub.requests) == 6
    assert len(result.errors) == 600
    assert {problem.permanent for problem in result.errors.values()} == {False}
    assert result.outcomes()[599] == "unavailable: The server answered 500: boom"


def test_retry_after_is_waited_for(connect, serve, nap):
    connect(serve(then(error(429, Retry_After="7")))).embed("m", ["a"])

    assert 7 <= nap.pauses[0] <= 7.2


@pytest.mark.parametrize("spelt", ["seconds", "date"])
def test_a_long_retry_after_is_left_to_the_caller(connect, serve, nap, spelt):
    tomorrow = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    stub = serve(always(error(429, "quota", Retry_After={"seconds": "86400", "date": tomorrow}[spelt])))

    result = connect(stub).embed("m", texts(600))

    assert len(stub.requests) == 1
    assert nap.pauses == []
    assert not result.errors[0].permanent
    assert 86_000 < result.errors[0].retry_after <= 86_400


@pytest.mark.parametrize("value", ["", "soon", "-1", "1e9", "Mon, 99 Foo 2020", "9" * 40])
def test_a_retry_after_that_cannot_be_read_counts_as_none(connect, serve, value):
    assert connect(serve(then(error(429, Retry_After=value)))).embed("m", ["a"]).errors == {}


def test_pauses_never_lead_past_the_deadline(connect, serve, nap):
    stub = serve(always(error(503, Retry_After="20")))

    result = connect(stub).embed("m", texts(600), deadline=50)

    assert len(stub.requests) == 3
    assert nap.time < 50
    assert codes(result)[599] == "unavailable"


def test_after_the_deadline_nothing_more_is_asked(connect, serve):
    stub = serve()

    result = connect(stub).embed("m", ["a"], deadline=0)

    assert codes(result) == {0: "deadline"}
    assert stub.requests == []


def test_a_server_that_hangs_costs_no_more_than_the_deadline(serve):
    client = OpenAIClient(serve(always(Reply(drip=30))).url, "", Guard(["127.0.0.1"]))

    result = client.embed("m", ["a"], deadline=0.3)

    assert codes(result) == {0: "timeout"}
    client.close()


def test_a_redirect_is_an_error_of_every_text(connect, serve):
    stub, elsewhere = serve(), serve()
    stub.answer = always(json_reply({}, 307, Location=elsewhere.url + "/embeddings"))

    result = connect(stub).embed("m", texts(300))

    assert set(codes(result).values()) == {"redirect"}
    assert (len(stub.requests), len(elsewhere.requests)) == (1, 0)


# ---- vectors that cannot be compared ----


def one_odd(values):
    def answer(request):
        reply = json.loads(embedded(request).body)
        reply["data"][-1]["embedding"] = values
        return json_reply(reply)

    return answer


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([0.0, 0.0, 0.0, 0.0], "zero_vector"),
        ([float("nan"), 1.0, 1.0, 1.0], "not_finite"),
        ([1e308, 1.0, 1.0, 1.0], "not_finite"),
        ([None, 1.0, 1.0, 1.0], "not_finite"),
        ([1.0, 1.0, 1.0], "odd_size"),
        (to_base64([1.0, float("inf"), 1.0, 1.0]), "not_finite"),
    ],
)
def test_a_vector_that_cannot_be_compared_is_an_error_of_its_text(connect, serve, values, code):
    stub = serve(one_odd(values))

    result = connect(stub).embed("m", ["a", "b", "c"])

    assert codes(result) == {2: code}
    assert result.errors[2].permanent
    assert len(stub.requests) == 1
    assert result.dimension == 4


def test_all_batches_must_agree_on_the_dimension(connect, serve):
    result = connect(serve(then(embedded, lambda request: embedded(request, size=5)))).embed("m", texts(300))

    assert set(codes(result).values()) == {"odd_size"}
    assert len(result.errors) == 44


def test_a_server_that_ignores_dimensions_is_noticed(connect, serve):
    stub = serve(infinity)

    result = connect(stub).embed("tiny", ["a", "b"], dimensions=2)

    assert result.errors[0].message == "2 dimensions were requested; the server returned 4."
    assert set(codes(result).values()) == {"odd_size"}
    assert len(stub.requests) == 1


# ---- what users read ----


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "said so"}}', "said so"),
        (b'{"error": "said so"}', "said so"),
        (b'{"detail": "Unauthorized"}', "Unauthorized"),
        (b'{"message": "said so"}', "said so"),
        (b'{"object": "error"}', "Unauthorized"),
        (b"plain words", "plain words"),
        (b"<html><script>alert(1)</script></html>", "Unauthorized"),
        (b"", "Unauthorized"),
        (b'{"error": {"message": "a\\u0000\\ud800b"}}', "a b"),
    ],
)
def test_the_servers_own_words_are_shown(connect, serve, body, words):
    result = connect(serve(always(json_reply(body, 401)))).embed("m", ["a"])

    assert result.errors[0].message == f"The server rejected the API key (401): {words}"


def test_an_echo_of_the_input_is_cut(connect, serve):
    result = connect(serve(always(json_reply({"detail": "x" * 100_000}, 422)))).embed("m", ["a"])

    assert len(result.errors[0].message) < 400


@pytest.mark.parametrize(
    "echo",
    [
        "k-secret-123",
        "Bearer k-secret-123",
        "sk-other-secret-key-456",
        "sk-pr*****456",
        f"{'x' * 260} k-secret-123",  # which ends beyond what is shown
    ],
)
def test_no_key_is_ever_repeated(connect, serve, echo):
    client = connect(serve(always(error(401, f"Incorrect API key provided: {echo}."))), key="k-secret-123")

    result = client.embed("m", ["a"])

    assert "secret" not in result.errors[0].message
    assert "sk-" not in result.errors[0].message
    assert result.errors[0].__cause__ is None
    assert "secret" not in repr(vars(client)) + repr(client)


@pytest.mark.parametrize("key", ["sk-x\r\nX-Evil: 1", "schlüssel", "two words", "k" * 1_001, "\x00"])
def test_a_key_no_header_can_carry_is_refused(key):
    with pytest.raises(ServiceError) as refusal:
        OpenAIClient("http://127.0.0.1/v1", key, Guard())

    assert refusal.value.code == "invalid_key"


def test_nothing_of_the_operators_own_account_leaves_with_a_call(monkeypatch, connect, serve):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-operator")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-operator")
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-operator")
    stub = serve()

    connect(stub, key="").embed("m", ["a"])

    assert "of-the-operator" not in repr(stub.headers)


# ---- test connection ----


def test_a_probe_tells_speed_size_and_models(connect, serve):
    probe = connect(serve()).probe("tiny")

    assert probe.ok
    assert (probe.dimension, probe.models) == (4, ["tiny"])
    assert probe.milliseconds >= 0
    assert (probe.chat, probe.embeddings) == (False, True)


CHAT = json_reply({"choices": [{"message": {"content": "O"}, "finish_reason": "length"}]})


@pytest.mark.parametrize("refusal", [400, 404, 405, 501])
def test_a_server_that_only_chats_is_fine(connect, serve, refusal):
    stub = serve(lambda request: CHAT if "messages" in request else error(refusal))

    probe = connect(stub).probe("tiny")

    assert (probe.ok, probe.chat, probe.embeddings, probe.dimension) == (True, True, False, None)
    [chat] = [request for request in stub.requests if "messages" in request]
    assert chat["max_completion_tokens"] == 1


def test_a_probe_without_a_model_lists_the_models_and_asks_the_first(connect, serve):
    stub = serve()

    probe = connect(stub).probe("")

    assert (probe.ok, probe.models, probe.embeddings) == (True, ["tiny"], True)
    assert probe.message.startswith("The server lists 1 model. ")
    assert stub.requests


def test_a_listed_model_that_answers_nothing_is_named(connect, serve):
    stub = serve(lambda request: error(404))

    probe = connect(stub).probe("")

    assert (probe.ok, probe.chat, probe.models) == (True, None, ["tiny"])
    assert probe.message == (
        "The server lists 1 model. tiny, the first, did not answer: name the model that you use."
    )


def test_a_server_that_rejects_the_key_for_its_models_is_asked_nothing_else(connect, serve):
    stub = serve()
    stub.models = error(401)

    probe = connect(stub).probe("tiny")

    assert (probe.ok, probe.code, stub.requests) == (False, "unauthorized", [])


def test_a_probe_notices_a_model_that_is_not_listed(connect, serve):
    assert "does not list the model large" in connect(serve(infinity)).probe("large").message


def test_a_server_without_a_list_of_models_is_fine(connect, serve):
    stub = serve()
    stub.models = error(404)

    assert connect(stub).probe("m").ok


@pytest.mark.parametrize(
    ("reply", "code", "cause"),
    [
        (error(401, "no"), "unauthorized", "rejected the API key (401)"),
        (error(403, "no"), "forbidden", "denied access"),
        (error(404, "no"), "not_found", "usually with /v1"),
        (error(429, "no"), "rate_limited", "fewer calls (429)"),
        (error(500, "no"), "no_answer", "answered 500"),
        (Reply(b"+PONG"), "no_answer", "not JSON"),
        (json_reply({}, 302, Location="/"), "no_answer", "redirects"),
        (Reply(drip=30), "no_answer", "did not answer within"),
        (Reply(b"half", headers={"Content-Length": "8", "Connection": "close"}), "no_answer", "closed the"),
    ],
)
def test_a_failed_probe_says_its_cause(serve, reply, code, cause):
    client = OpenAIClient(serve(always(reply)).url, "", Guard(["127.0.0.1"]))

    probe = client.probe("m", seconds=0.4)

    assert (probe.ok, probe.code) == (False, code)
    assert cause in probe.message
    client.close()


def test_a_probe_of_a_closed_port_says_that_the_connection_was_refused(serve):
    stub = serve()
    stub.close()
    client = OpenAIClient(stub.url, "", Guard(["127.0.0.1"]))

    probe = client.probe("m", seconds=2)

    assert f"127.0.0.1 refused the connection: nothing listens on port {stub.port}" in probe.message
    client.close()


def test_a_probe_of_a_server_without_tls_says_so(serve):
    client = OpenAIClient(serve().url.replace("http:", "https:"), "", Guard(["127.0.0.1"]))

    assert "does not speak TLS" in client.probe("m", seconds=2).message
    client.close()


def test_a_probe_of_a_name_that_does_not_resolve_says_so():
    def nowhere(*_, **__):
        raise socket.gaierror("not known")

    client = OpenAIClient("https://api.example/v1", "", Guard(resolver=nowhere))

    assert "api.example does not resolve" in client.probe("m", seconds=2).message
    client.close()


def test_a_probe_of_a_local_server_names_the_setting_that_allows_it():
    client = OpenAIClient("http://127.0.0.1:11434/v1", "", Guard())

    message = client.probe("m", seconds=2).message

    assert "adds 127.0.0.1:11434 to EVALSITE_PROVIDER_ALLOWED_HOSTS" in message
    assert Guard(["127.0.0.1:11434"]).addresses("127.0.0.1", 11434, 1)
    client.close()


def test_a_probe_reveals_nothing_about_forbidden_addresses(serve):
    listening, silent = serve(), serve()
    silent.close()
    clients = [OpenAIClient(stub.url, "", Guard()) for stub in (listening, silent)]

    messages = {
        client.probe("m").message.replace(str(stub.port), "")
        for client, stub in zip(clients, (listening, silent), strict=True)
    }

    assert len(messages) == 1
    assert listening.headers == []
    for client in clients:
        client.close()


def test_models_are_listed(connect, serve):
    assert connect(serve()).probe("").models == ["tiny"]


def test_a_malformed_list_of_models_is_an_error(connect, serve):
    stub = serve()
    stub.models = json_reply(["tiny"])

    probe = connect(stub).probe("")

    assert (probe.ok, probe.code) == (False, "no_answer")


def test_vectors_are_our_own_memory():
    body = json.dumps({"data": [{"index": 0, "embedding": to_base64([1.0])}]}).encode()

    [array], _tokens = answers.vectors(body, 1)

    assert array.flags.writeable


# ---- the fault server of the reliability page ----


@pytest.fixture(scope="module")
def fake():
    if not FAKE.exists():
        pytest.skip("the fault server is not part of this repository (../shared)")
    process = subprocess.Popen([sys.executable, FAKE], stdout=subprocess.PIPE, env=os.environ)
    yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}"
    process.kill()
    process.wait()
    process.stdout.close()


def tell(fake, path, **body):
    request = urllib.request.Request(fake + path, json.dumps(body).encode(), method="POST")
    urllib.request.urlopen(request).close()


def calls(fake, expected):
    """What the server counted, as soon as it is `expected`: it reads a call that was given up only after that."""
    give_up = time.monotonic() + 10
    while True:
        with urllib.request.urlopen(fake + "/_stats") as stats:
            counted = json.load(stats)["calls"]
        if counted == expected or time.monotonic() > give_up:
            return counted
        time.sleep(0.05)


@pytest.fixture
def embed_from(fake, nap):
    def embed(mode, chance, count=600, deadline=600.0):  # the pauses of all threads advance the one clock
        tell(fake, "/_reset")
        tell(fake, "/_mode", mode=mode, p=chance)
        client = OpenAIClient(f"{fake}/v1", "k", Guard(["127.0.0.1"]), sleep=nap.sleep, clock=nap.clock)
        result = client.embed("m", texts(count), deadline=deadline)
        client.close()
        assert calls(fake, expected=result.calls) == result.calls
        return result

    return embed


HARMLESS = ["ok", "wrong_type", "bom", "emb_shuffled", "emb_base64"]
PASSING = [
    "r429",
    "r429_no_header",
    "r500",
    "r502_html",
    "r503",
    "reset",
    "half_body",
    "malformed",
    "empty_200",
]
PASSING += ["html_200", "missing_choices", "stream_sse", "emb_short", "emb_nan"]


@pytest.mark.parametrize("mode", HARMLESS)
def test_a_harmless_oddity_changes_nothing(embed_from, mode):
    control = embed_from("ok", 1.0)

    result = embed_from(mode, 1.0)

    np.testing.assert_allclose(result.vectors, control.vectors, rtol=1e-6)
    assert result.calls == 3


@pytest.mark.parametrize("mode", PASSING)
def test_a_fault_that_passes_leaves_no_trace(embed_from, mode):
    control = embed_from("ok", 1.0, count=1_000)

    result = embed_from(mode, 0.2, count=1_000)

    assert result.errors == {}
    np.testing.assert_array_equal(result.vectors, control.vectors)


@pytest.mark.parametrize(
    ("mode", "code"),
    [
        ("r429", "rate_limited"),
        ("r429_huge_retry", "insufficient_quota"),
        ("r500", "unavailable"),
        ("r502_html", "unavailable"),
        ("r401", "unauthorized"),
        ("r400_context", "refused"),
        ("r404_model", "not_found"),
        ("reset", "unreachable"),
        ("half_body", "unreachable"),
        ("malformed", "bad_answer"),
        ("html_200", "bad_answer"),
        ("emb_short", "bad_answer"),
        ("emb_nan", "bad_answer"),
        ("redirect_metadata", "redirect"),
        ("redirect_loop", "redirect"),
    ],
)
def test_a_fault_that_stays_is_counted_and_named(embed_from, mode, code):
    result = embed_from(mode, 1.0)

    assert set(codes(result).values()) == {code}
    assert len(result.errors) == 600
    assert result.calls <= 3 * 6
    assert "secret" not in result.errors[0].message


def test_vectors_of_odd_size_are_errors_of_their_texts(embed_from):
    result = embed_from("emb_dims", 1.0)

    assert codes(result) == {255: "odd_size", 511: "odd_size", 599: "odd_size"}


@pytest.mark.long
@pytest.mark.parametrize("mode", ["hang", "slow_drip"])
def test_a_server_that_never_finishes_is_left_in_time(fake, embed_from, mode):
    result = embed_from(mode, 1.0, count=1, deadline=0.3)

    assert codes(result) == {0: "timeout"}
