"""Launches on a stand-in chat server: every example is answered, or fails with an error code."""

import json
import threading
import time
from collections import Counter
from datetime import timedelta
from itertools import count

import pytest
from django.db import connection as database
from django.utils import timezone

from evaluations.clients.pace import Pace
from evaluations.engine import queue, shutdown, turns
from evaluations.errors import Conflict, Invalid
from evaluations.evaluators import connections
from evaluations.evaluators.pacing import SharedLimit
from evaluations.experiments import runs
from evaluations.launches import ending, following, generating, launches, order, states, storing, usage
from evaluations.launches.of_runs import OfRun
from evaluations.launches.plans import Plan, Variant
from evaluations.launches.questions import Source
from evaluations.launches.usage import Usage
from evaluations.models import (
    Answer,
    Chunk,
    Connection,
    Example,
    Job,
    Launch,
    Output,
    Price,
    Run,
    Spending,
)
from evaluations.prompts import ledger, prices, prompts
from evaluations.prompts.content import Content
from evaluations.scoring import scoring
from evaluations.values import stored_json
from tests import factories
from tests.clients.stub import Reply, json_reply

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 30
PRICE = 1_000_000  # one unit of the currency per million tokens
WORST = 10**6  # of a token, in the ledger's unit


def answer(text="Paris", finish="stop", usage=True, **message):
    body = {
        "model": "tiny-1",
        "choices": [{"message": {"role": "assistant", "content": text} | message, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 10, "completion_tokens": 2}
    return json_reply(body)


@pytest.fixture
def usual_answer():
    return lambda request: answer()


@pytest.fixture
def experiment(project):
    return factories.experiment(project, references=["Paris", "Rome", "Oslo"] * (SIZE // 3))


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(storing, "LONGEST_PAUSE", 0.0)


@pytest.fixture
def variant(project, settings, serve):
    """Makes a variant of a prompt that this server answers."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def make(stub, name="v1", template="Where is {{ question }}?", **parameters):
        connection = connections.create(project, None, f"{name} server", stub.url, "k-secret-123")
        prices.set_price(connection, "tiny", PRICE, PRICE, None, timezone.now().date())
        content = Content([{"role": "user", "content": template}], "tiny", parameters, connection=connection)
        return Variant(prompts.version_of(prompts.create(project, None, name, content)), name)

    return make


def launch(experiment, *variants, **plan) -> Launch:
    return launches.create(experiment, None, variants, Plan(seed=1, **plan))


def finish() -> None:
    rested = Job.objects.filter(kind=Job.GENERATE, state=Job.State.OPEN, ready_at__isnull=False)
    while generating.work() or rested.exists():
        time.sleep(0.01)
    while scoring.work(seconds=10):
        pass


def outputs(run: Run) -> dict[int, str | None]:
    return dict(Output.objects.filter(run=run).values_list("position", "text"))


def errors(run: Run) -> Counter[str]:
    return Counter(
        error.partition(":")[0] for (error,) in Output.objects.filter(run=run).values_list("error") if error
    )


@pytest.mark.long
def test_every_example_is_answered_once_and_scored(experiment, variant, serve):
    stub = serve(lambda request: answer(request["messages"][0]["content"]))

    started = launch(experiment, variant(stub))
    finish()

    run = Run.objects.get()
    assert outputs(run) == {n: f"Where is q{n}?" for n in range(1, SIZE + 1)}
    assert len(stub.requests) == SIZE
    assert (run.status, run.output_count, states.of_launch(started).status) == (
        "completed",
        SIZE,
        "completed",
    )
    assert run.scorings.get().summary["counts"]["total"] == SIZE


@pytest.mark.long
def test_a_request_is_spelt_as_the_prompt_says(experiment, variant, serve):
    stub = serve()

    launch(experiment, variant(stub, temperature=0, reasoning_effort="low"))
    finish()

    request = stub.requests[0]
    assert (request["model"], request["temperature"], request["reasoning_effort"]) == ("tiny", 0, "low")
    assert stub.headers[0]["authorization"] == "Bearer k-secret-123"


def test_a_run_names_its_prompt_version_and_model(experiment, variant, serve):
    solve = variant(serve(), temperature=0)

    launch(experiment, solve)

    run = Run.objects.get()
    assert run.prompt_version == solve.version
    assert (run.about["model"], run.about["parameters"]) == ("tiny", {"temperature": 0})


@pytest.mark.long
def test_tokens_cost_and_time_are_kept_with_the_answer(experiment, variant, serve):
    launch(experiment, variant(serve()))
    finish()

    first_answer = Answer.objects.first()
    assert (first_answer.tokens_in, first_answer.tokens_out, first_answer.cost) == (10, 2, 12 * WORST)
    assert (first_answer.model, first_answer.finish_reason, first_answer.attempts) == ("tiny-1", "stop", 1)
    assert Output.objects.filter(latency_ms__gte=0, tokens=2).count() == SIZE


@pytest.mark.long
@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (answer("It is", "length"), "cut"),
        (answer(None, "content_filter"), "filtered"),
        (answer(None, refusal="No."), "refused_to_answer"),
        (answer(""), "empty"),
        (answer(" \n"), "empty"),
        (json_reply({"error": {"message": "no such model"}}, 404), "not_found"),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_with_a_name(experiment, variant, serve, reply, code):
    launch(experiment, variant(serve(lambda request: reply)), tolerated=1.0)
    finish()

    run = Run.objects.get()
    assert errors(run) == {code: SIZE}
    assert (run.status, run.output_count) == ("completed", 0)


@pytest.mark.long
def test_an_answer_without_text_that_calls_tools_is_json(experiment, variant, serve):
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]

    launch(experiment, variant(serve(lambda request: answer(None, "tool_calls", tool_calls=calls))))
    finish()

    stored = Output.objects.first()
    assert (json.loads(stored.text), stored.is_json) == (calls, True)


@pytest.mark.long
def test_calls_that_a_server_refuses_count_as_refused_and_not_as_answers(experiment, variant, serve):
    numbers = count()
    stub = serve(lambda request: json_reply({}, 429) if 16 <= next(numbers) < 20 else answer())

    started = launch(experiment, variant(stub))
    finish()

    pace = states.pace(started)
    assert (pace.calls, pace.refused) == (SIZE + 4, 4)


def test_a_launch_knows_that_its_server_asked_for_a_pause(experiment, variant, serve):
    asking = variant(serve())
    started = launch(experiment, asking)
    server = asking.version.connection
    pace = Pace(8, 64, SharedLimit(server.pk))
    pace.refused(time.monotonic(), 3_600, pace.sent(time.monotonic()))

    generating.note_limit(server, pace, since=0.0)

    assert states.pace(started).is_limited
    assert states.pace(started).pause > 3_000


@pytest.mark.long
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_is_asked_again(experiment, variant, serve, status):
    calls: Counter[str] = Counter()

    def sometimes(request):
        text = request["messages"][0]["content"]
        calls[text] += 1
        return json_reply({"error": {"message": "later"}}, status) if calls[text] == 1 else answer(text)

    launch(experiment, variant(serve(sometimes)))
    finish()

    assert len(outputs(Run.objects.get())) == SIZE
    assert set(calls.values()) == {2}
    assert Spending.objects.filter(cost=0).count() == SIZE  # refused calls cost nothing


@pytest.mark.long
def test_a_failed_call_is_repeated_before_new_ones(experiment, variant, serve, settings):
    """So the scored ranks of a running launch have no gaps."""
    settings.EVALSITE_IN_FLIGHT = 1
    failures = count()
    stub = serve(lambda request: answer() if next(failures) else json_reply({}, 503))

    launch(experiment, variant(stub))
    finish()

    first, second, third, *_ = [json.dumps(request["messages"]) for request in stub.requests]
    assert first == second != third


def test_too_many_failures_end_a_launch(experiment, variant, serve):
    started = launch(experiment, variant(serve(lambda request: answer(""))), tolerated=0.1)
    finish()

    started.refresh_from_db()
    run = Run.objects.get()
    assert (started.status, run.status, run.error["code"]) == ("failed", "failed", "too_many_failures")


def test_a_launch_of_which_too_many_answers_fail_asks_no_whole_chunk_more(
    experiment, variant, serve, settings, monkeypatch
):
    settings.EVALSITE_IN_FLIGHT = 1
    monkeypatch.setattr(generating, "FOLLOW_EVERY", 0.0)
    monkeypatch.setattr(generating, "LONGEST_PAUSE", 0.0)
    stub = serve(lambda request: answer(finish="length"))

    started = launch(experiment, variant(stub), tolerated=0.1)
    finish()

    started.refresh_from_db()
    assert states.of_launch(started).status == "failed"
    assert len(stub.requests) < SIZE / 2


@pytest.mark.long
def test_a_launch_ends_when_its_server_answers_nothing_for_long(experiment, variant, serve, monkeypatch):
    """Its calls would be repeated six times each, one after the other."""
    monkeypatch.setattr(OfRun, "seconds", 0.3)
    stub = serve(lambda request: Reply(headers={"Content-Length": "9"}, drip=30))

    started = launch(experiment, variant(stub), tolerated=1.0)
    finish()

    started.refresh_from_db()
    run = Run.objects.get()
    assert (started.status, run.error["code"]) == ("failed", "too_many_failures")
    assert "answered no call" in run.error["message"]
    assert not run.outputs.exists()


@pytest.mark.long
def test_a_launch_that_failed_asks_again_where_answers_failed(experiment, variant, serve, monkeypatch):
    # The launch fails only at its end: a slow machine could count failures before all examples are asked.
    monkeypatch.setattr(OfRun, "check_failures", lambda asked: None)
    replies = iter([answer("")] * 10)
    stub = serve(lambda request: next(replies, answer()))
    started = launch(experiment, variant(stub), tolerated=0.1)
    finish()
    calls = len(stub.requests)
    started.refresh_from_db()

    launches.resume(started)
    finish()

    run = Run.objects.get()
    assert (run.status, run.output_count) == ("completed", SIZE)
    assert (calls, len(stub.requests)) == (SIZE, SIZE + 10)


def test_a_key_that_cannot_be_read_ends_a_launch(experiment, variant, serve):
    started = launch(experiment, variant(serve()))
    Connection.objects.update(encrypted_key="not a key")

    finish()

    run = Run.objects.get()
    started.refresh_from_db()
    assert (started.status, run.error["code"]) == ("failed", "key_unreadable")


def test_an_example_without_a_value_is_not_asked(project, variant, serve):
    stub = serve()
    experiment = factories.experiment(project, references=["Paris"])
    solve = variant(stub, template="{{ question.deep }}")

    launch(experiment, solve, tolerated=1.0)
    finish()

    assert errors(Run.objects.get()) == {"missing_value": 1}
    assert stub.requests == []


def test_an_unknown_variable_is_refused_before_anything_is_stored(experiment, variant, serve):
    with pytest.raises(Invalid) as refusal:
        launch(experiment, variant(serve(), template="{{ nobody }}"))

    assert refusal.value.code == "unknown_variable"
    assert not Launch.objects.exists()


# ---- money -------------------------------------------------------------------------------------------------


@pytest.fixture
def limited(experiment, variant, serve):
    """A launch that stopped at its budget, and its server."""
    stub = serve()
    started = launch(experiment, variant(stub, max_completion_tokens=10), budget=150 * WORST)
    finish()
    started.refresh_from_db()
    started.budget.refresh_from_db()
    return started, stub


def test_a_budget_is_never_exceeded(limited):
    started, stub = limited

    assert started.status == "limit"
    assert 0 < started.budget.committed <= 150 * WORST
    assert started.budget.committed == len(stub.requests) * 12 * WORST


def test_a_launch_at_its_limit_goes_on_with_a_larger_budget(limited):
    started, stub = limited

    launches.resume(started, budget=SIZE * 200 * WORST)
    finish()

    assert len(stub.requests) == SIZE
    assert states.of_launch(started).status == "completed"


@pytest.mark.long
def test_a_server_that_bills_more_than_it_may_is_reserved_what_it_billed(
    experiment, variant, serve, settings
):
    """Only the first call costs more than was reserved; the launch stops before another could."""
    settings.EVALSITE_IN_FLIGHT = 1
    billed = {"prompt_tokens": 5_000, "completion_tokens": 5_000}
    choice = {"message": {"content": "Paris"}, "finish_reason": "stop"}
    stub = serve(lambda request: json_reply({"choices": [choice], "usage": billed}))
    cost = 10_000 * WORST

    started = launch(experiment, variant(stub, max_completion_tokens=5), budget=3 * cost + cost // 2)
    finish()

    started.refresh_from_db()
    assert (states.of_launch(started).status, len(stub.requests)) == ("limit", 3)
    assert started.budget.committed == 3 * cost
    launches.resume(started, budget=4 * cost + cost // 2)
    finish()
    assert len(stub.requests) == 4


@pytest.mark.long
def test_no_example_overtakes_when_money_runs_short(experiment, variant, serve, monkeypatch):
    """Otherwise a launch near its limit would answer only the short examples."""
    monkeypatch.setattr(order, "CHUNK", 1)
    calls = [threading.Event(), threading.Event()]

    def patient(request):
        """A server that answers the first call when a second one comes, or after a while."""
        calls[calls[0].is_set()].set()
        calls[1].wait(1)
        return answer()

    asking = variant(serve(patient), max_completion_tokens=10)
    started = launch(experiment, asking, budget=1_000 * WORST)
    first, second, *_ = order.positions(started).tolist()
    long_text = stored_json({"question": 2_000 * "?"})
    Example.objects.filter(position=second).update(inputs=long_text)

    finish()

    started.refresh_from_db()
    assert started.status == "limit"
    assert list(outputs(Run.objects.get())) == [first]


def test_under_a_budget_answers_need_a_limit(experiment, variant, serve):
    with pytest.raises(Invalid) as refusal:
        launch(experiment, variant(serve()), budget=WORST)

    assert refusal.value.code == "max_tokens_required"


def test_under_a_budget_a_model_needs_a_price(experiment, variant, serve):
    version = variant(serve()).version
    unpriced = Variant(version, "other", model="unknown", parameters={"max_tokens": 5})

    with pytest.raises(Invalid) as refusal:
        launch(experiment, unpriced, budget=WORST)

    assert refusal.value.code == "price_required"


def test_a_call_whose_tokens_are_unknown_stays_spent_at_its_worst(experiment, variant, serve):
    silent = serve(lambda request: answer(usage=False))

    started = launch(experiment, variant(silent, max_completion_tokens=10), budget=10**12)
    finish()

    started.budget.refresh_from_db()
    assert {spent.state for spent in Spending.objects.all()} == {"lost"}
    assert started.budget.committed == sum(spent.worst for spent in Spending.objects.all()) > 0


# ---- stopping and continuing ---------------------------------------------------------------------------------


def test_one_variant_is_stopped_alone_and_continued_with_its_launch(experiment, variant, serve):
    first, second = serve(), serve()
    started = launch(experiment, variant(first), variant(second, "v2"))

    runs.cancel(Run.objects.get(variant="v1"))
    finish()
    assert (len(first.requests), len(second.requests)) == (0, SIZE)
    assert [run.status for run in Run.objects.order_by("pk")] == [Run.Status.CANCELLED, Run.Status.COMPLETED]

    launches.resume(started)
    finish()
    assert (len(first.requests), len(second.requests)) == (SIZE, SIZE)
    assert {run.status for run in Run.objects.all()} == {Run.Status.COMPLETED}


@pytest.mark.long
def test_a_cancelled_launch_resumes_without_paying_twice(experiment, variant, serve):
    stub = serve()
    started = launch(experiment, variant(stub), variant(serve(), "v2"))
    run = Run.objects.get(variant="v1")
    Output.objects.create(run=run, position=3, text="kept")

    launches.cancel(started)
    assert (Run.objects.filter(status="cancelled").count(), Chunk.objects.count()) == (2, 0)
    launches.resume(started)
    finish()

    assert len(stub.requests) == SIZE - 1
    assert outputs(run)[3] == "kept"
    with pytest.raises(Conflict):
        launches.cancel(started)


def test_a_run_whose_last_answers_came_after_a_cancel_counts_them_when_it_goes_on(experiment, variant, serve):
    started = launch(experiment, variant(serve()))
    launches.cancel(started)
    run = Run.objects.get()
    Output.objects.bulk_create(Output(run=run, position=n, text="late") for n in range(1, SIZE + 1))

    launches.resume(started)

    run.refresh_from_db()
    assert (run.status, run.output_count) == ("queued", SIZE)


def test_a_worker_asks_nothing_more_after_a_cancel(experiment, variant, serve, settings, monkeypatch):
    """Not even until it extends its leases: a launch that is continued at once would pay the same answers twice."""
    settings.EVALSITE_IN_FLIGHT = 1
    monkeypatch.setattr(generating, "KEEP_EVERY", 1_000.0)

    def reply(request):
        if len(stub.requests) == 3:
            launches.cancel(started)
            database.close()
        return answer()

    stub = serve(reply)
    started = launch(experiment, variant(stub))
    generating.work()

    assert len(stub.requests) == 3


@pytest.mark.long
def test_a_resumed_launch_skips_questions_that_a_worker_awaits(experiment, variant, serve, settings):
    """It is cancelled and continued before the first answer arrives, when all 30 examples lack one."""
    settings.EVALSITE_IN_FLIGHT = 4
    claimed = []

    def reply(request):
        if request == stub.requests[0]:
            launches.cancel(started)
            launches.resume(started)
            claimed.append(queue.claim_chunk(Job.GENERATE))
            database.close()
        return answer()

    stub = serve(reply)
    started = launch(experiment, variant(stub))
    finish()

    assert claimed == [None]
    assert (states.of_launch(started).status, len(stub.requests)) == ("completed", SIZE)


@pytest.mark.long
def test_a_resumed_launch_does_not_wait_for_a_lost_worker(experiment, variant, serve):
    stub = serve()
    started = launch(experiment, variant(stub))
    lost = queue.claim_chunk(Job.GENERATE)
    launches.cancel(started)
    launches.resume(started)
    assert queue.claim_chunk(Job.GENERATE) is None
    Chunk.objects.filter(pk=lost.pk).update(lease_until=timezone.now() - timedelta(hours=1))

    ending.sweep()
    finish()

    assert (states.of_launch(started).status, len(stub.requests)) == ("completed", SIZE)
    assert not Chunk.objects.exists()


def test_an_answer_may_come_later_than_a_lease_lasts_after_a_cancel(experiment, variant, serve):
    started = launch(experiment, variant(serve()))
    chunk = queue.claim_chunk(Job.GENERATE)
    launches.cancel(started)
    Chunk.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    queue.await_calls(chunk)
    ending.sweep()

    launches.resume(started)
    assert queue.claim_chunk(Job.GENERATE) is None
    queue.release(chunk)
    assert queue.claim_chunk(Job.GENERATE) is not None


@pytest.mark.long
def test_a_launch_waits_for_calls_under_way_before_it_stops_at_its_limit(experiment, variant, serve):
    """All 60 answers cost 720 units, but for a while the worst cases of eight calls take up the budget."""
    stub = serve()
    variants = [variant(stub, name, max_completion_tokens=20) for name in ("v1", "v2")]

    started = launch(experiment, *variants, budget=1_000 * WORST)
    finish()

    assert (states.of_launch(started).status, len(stub.requests)) == ("completed", 2 * SIZE)


@pytest.mark.long
def test_a_launch_continues_after_its_limit_of_calls_is_raised(experiment, variant, serve):
    stub = serve()
    started = launch(experiment, variant(stub), max_calls=SIZE - 5)
    finish()
    started.refresh_from_db()
    assert (started.status, len(stub.requests)) == ("limit", SIZE - 5)

    launches.resume(started, max_calls=SIZE)
    finish()

    assert (states.of_launch(started).status, len(stub.requests)) == ("completed", SIZE)


def test_a_call_that_nobody_awaits_is_given_up_at_its_worst(experiment, variant, serve):
    started = launch(experiment, variant(serve(), max_completion_tokens=5), budget=10_000 * WORST)
    run = Run.objects.get()
    [source] = [Source.from_job(run.jobs.get())]
    [question, *_], _ = source.questions(Chunk.objects.first())
    spending = ledger.reserve(source.call(question), started.budget)
    Spending.objects.update(created_at=timezone.now() - ledger.PATIENCE - timedelta(minutes=1))

    ending.sweep()

    spending.refresh_from_db()
    assert (spending.state, spending.cost) == (Spending.State.LOST, spending.worst)


def test_another_worker_resumes_the_chunks_of_a_lost_one(experiment, variant, serve):
    stub = serve()
    launch(experiment, variant(stub))
    run = Run.objects.get()
    queue.claim_chunk(Job.GENERATE)
    Output.objects.bulk_create(Output(run=run, position=n, text="before") for n in range(1, 11))
    Chunk.objects.update(lease_until=timezone.now() - timedelta(hours=1))

    ending.sweep()
    finish()

    run.refresh_from_db()
    assert (run.status, len(stub.requests)) == ("completed", SIZE - 10)


@pytest.mark.long
def test_an_existing_answer_is_never_replaced(experiment, variant, serve):
    """Two workers asked the same question, because one was considered lost."""
    started = launch(experiment, variant(serve()))
    run = Run.objects.get()

    def late(request):
        position = int(request["messages"][0]["content"].removeprefix("Where is q").removesuffix("?"))
        Output.objects.bulk_create([Output(run=run, position=position, text="first")], ignore_conflicts=True)
        database.close()
        return answer("second")

    run.generation.connection.base_url = serve(late).url
    run.generation.connection.save()
    finish()

    assert set(outputs(run).values()) == {"first"}
    assert states.of_launch(started).status == "completed"


def test_a_sample_asks_the_same_examples_of_every_variant(experiment, variant, serve):
    launch(experiment, variant(serve()), variant(serve(), "v2"), size=7)
    finish()

    first, second = (outputs(run).keys() for run in Run.objects.all())
    assert len(first) == 7
    assert first == second


def test_repetitions_are_runs_of_one_variant(experiment, variant, serve):
    launch(experiment, variant(serve()), repetitions=3)

    assert [run.variant for run in Run.objects.all()] == ["v1"] * 3


def test_no_text_of_a_server_breaks_the_database(experiment, variant, serve):
    nasty = Reply(b'{"choices":[{"message":{"content":"a\\u0000b\\ud800"},"finish_reason":"stop"}]}')

    launch(experiment, variant(serve(lambda request: nasty)))
    finish()

    assert set(outputs(Run.objects.get()).values()) == {"a\ufffdb\ufffd"}


# ---- usage ---------------------------------------------------------------------------------------------------


def test_a_run_stores_the_usage_of_its_answers(experiment, variant, serve):
    """30 answers of 10 and 2 tokens, at one unit of the currency per million."""
    launch(experiment, variant(serve()))
    finish()

    stored_usage = Usage(**Run.objects.get().usage)
    assert (stored_usage.answers, stored_usage.calls, stored_usage.tokens_in, stored_usage.tokens_out) == (
        SIZE,
        SIZE,
        300,
        60,
    )
    assert (stored_usage.cost, stored_usage.without_cost) == (360 * WORST, 0)


def test_an_answer_without_a_price_has_no_cost(experiment, variant, serve):
    solve = variant(serve())
    Price.objects.all().delete()

    launch(experiment, solve)
    finish()

    run_usage = usage.of_run(Run.objects.get())
    assert (run_usage.cost, run_usage.without_cost, run_usage.tokens_in) == (None, SIZE, 300)


def test_an_answer_without_counted_tokens_has_neither_tokens_nor_cost(experiment, variant, serve):
    launch(experiment, variant(serve(lambda request: answer(usage=False)), max_tokens=5))
    finish()

    run_usage = usage.of_run(Run.objects.get())
    assert (run_usage.tokens_in, run_usage.cost, run_usage.without_tokens, run_usage.without_cost) == (
        None,
        None,
        SIZE,
        SIZE,
    )


@pytest.mark.long
def test_a_refused_call_costs_nothing(experiment, variant, serve):
    launch(experiment, variant(serve(lambda request: json_reply({}, 404))), tolerated=1.0)
    finish()

    run_usage = usage.of_run(Run.objects.get())
    assert (run_usage.tokens_in, run_usage.cost, run_usage.without_tokens, run_usage.calls) == (0, 0, 0, SIZE)


# ---- fairness ----


@pytest.mark.long
def test_a_short_pause_that_a_server_asks_for_holds_the_whole_connection(
    experiment, variant, serve, settings
):
    settings.EVALSITE_IN_FLIGHT = 1
    times: list[float] = []

    def reply(request):
        times.append(time.monotonic())
        return json_reply({}, 503, Retry_After="1") if len(times) == 1 else answer()

    launch(experiment, variant(serve(reply)))
    finish()

    assert len(times) == SIZE + 1
    assert times[1] - times[0] >= 0.9


@pytest.mark.long
def test_a_launch_gets_its_share_beside_a_slower_one_that_began_before(
    experiment, variant, serve, settings, monkeypatch
):
    """The slow launch has questions for all free slots, long after the fast one is done."""
    settings.EVALSITE_IN_FLIGHT = 4
    monkeypatch.setattr(turns.random, "random", lambda: 0.0)
    slow_calls_before = []

    def slowly(request):
        time.sleep(0.6)
        return answer()

    def answer_at_once(request):
        slow_calls_before.append(len(slow.requests))
        return answer()

    slow, fast = serve(slowly), serve(answer_at_once)
    launch(experiment, variant(slow, "slow"))
    launch(experiment, variant(fast, "nimble"))
    finish()

    assert len(slow_calls_before) == SIZE
    assert slow_calls_before[-1] < SIZE


@pytest.mark.long
def test_a_launch_is_answered_while_another_server_hangs_in_every_slot(
    experiment, variant, serve, settings, monkeypatch
):
    settings.EVALSITE_IN_FLIGHT = 4
    monkeypatch.setattr(turns.random, "random", lambda: 0.0)
    is_done, hangs, answered = threading.Event(), threading.Event(), count(1)
    waited = []

    def hang(request):
        if len(hung.requests) == settings.EVALSITE_IN_FLIGHT:
            hangs.set()
        waited.append(is_done.wait(60))
        return answer()

    def answer_at_once(request):
        assert hangs.wait(60)
        if next(answered) == SIZE:
            is_done.set()
        return answer()

    hung, healthy = serve(hang), serve(answer_at_once)
    launch(experiment, variant(hung, "hung"))
    launch(experiment, variant(healthy, "healthy"))
    finish()

    assert waited == [True] * SIZE


@pytest.mark.long
def test_a_launch_whose_server_asks_for_a_pause_holds_no_worker(experiment, variant, serve):
    """Nobody claims its chunks meanwhile, and the number of attempts goes on from where it stopped."""
    stub = serve(lambda request: json_reply({}, 503, Retry_After="5"))
    launch(experiment, variant(stub))

    began = time.monotonic()
    more = generating.work()

    assert (more, queue.claim_chunk(Job.GENERATE)) == (False, None)
    assert time.monotonic() - began < 4.5
    assert Chunk.objects.get().state == Chunk.State.READY
    assert set(Chunk.objects.get().usage["attempts"].values()) == {1}
    stub.answer = lambda request: answer()
    finish()
    # Those that were under way when the server asked for a pause were asked twice, the others once.
    assert set(Answer.objects.values_list("attempts", flat=True)) <= {1, 2}
    assert Answer.objects.filter(attempts=2).exists()


@pytest.mark.long
def test_a_launch_that_waits_for_money_holds_no_worker(experiment, variant, serve, monkeypatch):
    """Another worker, which lives, has reserved all the money."""
    monkeypatch.setattr(generating, "MONEY_PAUSE", 1.0)
    started = launch(experiment, variant(serve(), max_completion_tokens=10), budget=1_000 * WORST)
    other = Chunk.objects.create(
        job=Job.objects.get(), first=900, last=900, total=1, state="leased", token="t"
    )
    Chunk.objects.filter(pk=other.pk).update(lease_until=timezone.now() + timedelta(hours=1))
    source = Source.from_job(Job.objects.get())
    call = source.call(source.questions(Chunk.objects.first())[0][0])
    while not ledger.reserve_many([call], started.budget, "t")[1]:
        pass

    assert generating.work() is False
    assert queue.claim_chunk(Job.GENERATE) is None
    started.refresh_from_db()
    assert started.status == "running"

    Chunk.objects.filter(pk=other.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    finish()
    started.refresh_from_db()
    assert started.status == "limit"  # without any sweep


def test_a_worker_that_holds_the_money_goes_on_although_another_one_rests(
    experiment, variant, serve, monkeypatch
):
    """Under a budget chunks are small, so the next one must not wait until the other worker looks again."""
    monkeypatch.setattr(order, "SHORTEST_STEP", 5)
    launch(experiment, variant(serve(), max_completion_tokens=10), budget=100_000 * WORST)
    end = OfRun.end

    def found_no_money(self, chunk):
        end(self, chunk)
        queue.rest(self.jobs, 60.0, chunk.job_id)

    monkeypatch.setattr(OfRun, "end", found_no_money)
    while generating.work():
        pass

    assert not Chunk.objects.filter(job__kind=Job.GENERATE, state=Chunk.State.READY).exists()
    assert Output.objects.count() == SIZE


@pytest.mark.long
@pytest.mark.parametrize("tries", [1, 2], ids=["answers", "a server to ask again"])
def test_a_worker_that_shuts_down_makes_no_further_calls(
    experiment, variant, serve, settings, monkeypatch, tries
):
    """Its calls in progress are awaited; further ones would be cut off and paid again."""
    settings.EVALSITE_IN_FLIGHT = 4
    is_deployed, begun = [False], []

    def has_begun():
        if not begun and (calls := Spending.objects.count()) >= 4:
            begun.append(calls)
        return bool(begun) and not is_deployed[0]

    monkeypatch.setattr(shutdown, "has_begun", has_begun)
    stub = serve(lambda request: answer() if tries == 1 else json_reply({}, 503, Retry_After="0"))

    started = launch(experiment, variant(stub))
    generating.work()

    assert [len(stub.requests)] == begun
    assert Chunk.objects.get().state == Chunk.State.READY
    is_deployed[0], stub.answer, stub.requests[:] = True, lambda request: answer(), []
    finish()
    assert states.of_launch(started).status == "completed"
    assert len(stub.requests) == (SIZE - begun[0] if tries == 1 else SIZE)


# ---- preliminary scores ----


def test_a_launch_that_stopped_at_its_limit_has_scored_all_its_answers(experiment, variant, serve):
    launch(experiment, variant(serve()), max_calls=10)
    finish()

    [run] = Run.objects.all()
    assert run.output_count == 10
    assert following.scores_of(run).scored.size == 10
