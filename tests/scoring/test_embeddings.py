"""Semantic scoring from end to end: payments, stored vectors, and retries of failures.

The stub is our own; if the shared fake provider is available, its faults are tested as well.
"""

import json
import random
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from django.db.models import Count, Sum
from django.utils import timezone

from evaluations import leases
from evaluations.access import api_keys
from evaluations.clients import Guard, Interrupted, OpenAIClient, embedding_batches
from evaluations.engine import queue
from evaluations.errors import Invalid
from evaluations.evaluators import connections, embeddings, evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments, runs
from evaluations.judges import allowances, waiting
from evaluations.mapping import Contexts
from evaluations.models import (
    Allowance,
    Budget,
    Chunk,
    Connection,
    Embedding,
    Evaluator,
    Run,
    Scope,
    ServerLimit,
    Spending,
)
from evaluations.prompts import ledger, prices
from evaluations.prompts.named import Money
from evaluations.scoring import columns, jobs, scoring
from evaluations.upkeep import purging
from evaluations.values import Status
from tests import factories
from tests.clients.conftest import Nap
from tests.clients.stub import Stub, embedded, json_reply
from tests.pages import markup
from tests.processes import wait_until

FAKE = Path(__file__).parents[3] / "shared" / "tools" / "fake_openai.py"
CLIENT = connections.client
SIZE = 300
PRICE = 2_500_000  # per token, in millionths of millionths
REFERENCES = [f"The answer to question {n} is {n * n}." for n in range(SIZE)]
OUTPUTS = [f"It is {n * n}, I think." for n in range(SIZE)]

pytestmark = pytest.mark.django_db


@pytest.fixture
def stub():
    stub = Stub()
    yield stub
    stub.close()


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch, settings):
    """Pauses between attempts take no time, and the test server may be called."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def client(connection):
        nap, key = Nap(time.monotonic()), connections.key_of(connection)
        options = {"sleep": nap.sleep, "clock": nap.clock, "chance": random.Random(5)}
        return OpenAIClient(connection.base_url, key, Guard(["127.0.0.1"]), concurrency=1, **options)

    monkeypatch.setattr(connections, "client", client)


def semantic_run(project, url, name="Server", size=SIZE, money=factories.ENOUGH):
    """A queued run with one semantic evaluator, which is paid."""
    connections.create(project, None, name, url, price_per_million=Decimal("2.5"))
    evaluator = factories.evaluator(project, "semantic_similarity")
    dataset = factories.dataset(project, REFERENCES[:size])
    experiment = experiments.create(project, None, "Which prompt?", dataset, [evaluator])
    return factories.paid_run(experiment, OUTPUTS[:size], money=money)


def pay(run, evaluators, money=factories.ENOUGH):
    """Score a run with these evaluators, and money for their calls, like the form."""
    allowances.pay([run], experiments.newest(evaluators), None, money)
    runs.add_scorings(run, evaluators)


def score():
    while scoring.work(seconds=10):
        pass


def complete(run: Run) -> None:
    """Score whatever may go on, until a run is complete: the pace learnt from refusals lets all texts through."""

    def is_complete() -> bool:
        score()
        return Run.objects.get(pk=run.pk).status == Run.Status.COMPLETED

    wait_until(is_complete, "a complete run", 120)


def retry_errors(run):
    """Retry the failed examples, like the button."""
    runs.retry_errors(run, Evaluator.objects.filter(versions__scorings__run=run))
    complete(run)
    return run.scorings.get()


def counts(scored):
    return {word: n for word, n in scored.summary["counts"].items() if n}


def error_codes(run):
    notes = run.scorings.get().blocks.values_list("notes", flat=True)
    return {message.partition(":")[0] for note in notes for message in note["messages"].values()}


def asked_for(stub):
    """How often each text was sent."""
    return Counter(text for request in stub.requests for text in request["input"])


def failing(every, reply):
    """Refuse every so-many-th call."""
    calls = iter(range(10_000))
    return lambda request: reply if next(calls) % every == 0 else embedded(request)


# ---- payments ----------------------------------------------------------------------------------------------


def test_every_text_is_paid_once_and_its_cost_is_stored(project, stub):
    run = semantic_run(project, stub.url)

    score()

    scored = run.scorings.get()
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    assert set(asked_for(stub).values()) == {1}
    # two texts per example, each one token by the stub; 2.50 per million
    assert scored.usage == {
        "hits": 0,
        "calls": len(stub.requests),
        "tokens": 2 * SIZE,
        "cost": pytest.approx(2 * SIZE * 2.5e-6),
    }


def test_another_run_finds_its_texts_in_the_store(project, stub):
    run = semantic_run(project, stub.url)
    score()
    calls = len(stub.requests)

    second_run = factories.scored_run(run.experiment, OUTPUTS, "same words", factories.ENOUGH)

    assert len(stub.requests) == calls
    assert second_run.scorings.get().usage == {"hits": 2 * SIZE, "calls": 0, "tokens": 0, "cost": 0.0}


def test_without_a_price_there_is_no_cost_and_without_calls_no_usage(project, stub):
    run = semantic_run(project, stub.url)
    Connection.objects.update(price_per_million=None)
    exact = factories.evaluator(project)
    runs.add_scorings(run, [exact])

    score()

    by_kind = {scored.evaluator_version.kind: scored.usage for scored in run.scorings.all()}
    assert by_kind["exact_match"] is None
    assert by_kind["semantic_similarity"]["tokens"] == 2 * SIZE
    assert by_kind["semantic_similarity"]["cost"] is None


def test_the_page_and_the_api_show_the_usage(project, alice, stub, client):
    run = semantic_run(project, stub.url)
    score()
    client.force_login(alice)
    key = api_keys.create_key(project, None, "reader", Scope.READ)[1]

    page = markup(client.get(f"/runs/{run.pk}/"))
    answer = client.get(f"/api/v1/runs/{run.pk}/", headers={"Authorization": f"Bearer {key}"}).json()

    assert f"{len(stub.requests)} calls, 0 stored, 600 tokens, cost 0.0015" in page
    assert answer["scorings"][0]["usage"] == run.scorings.get().usage


def lose_the_worker():
    """Simulate a worker that dies before it has stored its scores."""
    claimed = scoring.claim()
    scoring.score(claimed)
    expire(claimed.chunk)


def expire(chunk):
    Chunk.objects.filter(pk=chunk.pk).update(lease_until=leases.now() - timedelta(seconds=1))
    scoring.sweep()


# the third death halves the chunk
@pytest.mark.long
@pytest.mark.parametrize("deaths", [1, queue.ATTEMPTS, queue.ATTEMPTS + 6])
def test_payments_of_lost_workers_are_counted_once(project, stub, deaths):
    run = semantic_run(project, stub.url)
    for _ in range(deaths):
        lose_the_worker()

    score()

    scored = run.scorings.get()
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    assert set(asked_for(stub).values()) == {1}
    paid = {"hits": 0, "calls": len(stub.requests), "tokens": 2 * SIZE}
    assert scored.usage == paid | {"cost": pytest.approx(2 * SIZE * 2.5e-6)}


@pytest.mark.long
def test_payments_for_a_deadly_example_are_counted(project, stub, monkeypatch):
    monkeypatch.setattr(queue, "ATTEMPTS", 1)
    run = semantic_run(project, stub.url, size=40)
    while run.jobs.get().chunks.filter(state="ready").exists():
        lose_the_worker()

    scored = run.scorings.get()
    assert counts(scored) == {"total": 40, "error": 40}
    assert (scored.usage["calls"], scored.usage["tokens"]) == (len(stub.requests), 2 * 40)


def test_progress_is_seen_every_five_hundred_examples(project, stub):
    connections.create(project, None, "Server", stub.url)
    semantic = factories.evaluator(project, "semantic_similarity")
    texts = [f"text {n}" for n in range(1_200)]
    experiment = factories.experiment(project, "exact_match", references=texts)
    run = factories.scored_run(experiment, texts)
    pay(run, [semantic])

    by_lane = {job.lane: [chunk.total for chunk in job.chunks.order_by("first")] for job in run.jobs.all()}
    score()

    assert list(by_lane.values()) == [[], [500, 500, 200]]
    scored = run.scorings.get(evaluator_version__kind="semantic_similarity")
    assert np.allclose(columns.load(scored.pk).values[:1_200], 1)


def test_calls_are_settled_in_the_ledger_by_the_tokens_of_the_server(project, stub):
    semantic_run(project, stub.url)

    score()

    spent = Spending.objects.aggregate(tokens=Sum("tokens_in"), cost=Sum("cost"), calls=Count("pk"))
    assert spent == {"tokens": 2 * SIZE, "cost": 2 * SIZE * PRICE, "calls": len(stub.requests)}
    assert ledger.spent_this_month(project) == 2 * SIZE * PRICE


def test_a_price_of_the_model_comes_before_the_one_of_the_connection(project, stub):
    semantic_run(project, stub.url)
    prices.set_price(Connection.objects.get(), "text-embedding-3-small", 7, 0, None, prices.today())

    score()

    assert ledger.spent_this_month(project) == 2 * SIZE * 7


def test_no_call_is_made_that_the_month_has_no_room_for(project, stub):
    run = semantic_run(project, stub.url)
    ledger.limit_months(project, PRICE)

    score()

    assert (stub.requests, ledger.spent_this_month(project)) == ([], 0)
    assert counts(run.scorings.get()) == {"total": SIZE, "not_sent": SIZE}
    assert error_codes(run) == {"limit_reached"}


def test_after_the_limit_was_raised_those_that_wait_are_scored(project, stub):
    run = semantic_run(project, stub.url)
    ledger.limit_months(project, PRICE)
    score()

    ledger.limit_months(project, 10**6 * PRICE)
    pay(run, Evaluator.objects.all())
    complete(run)

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}


def test_under_a_monthly_limit_a_model_needs_a_price(project, stub):
    run = semantic_run(project, stub.url)
    Connection.objects.update(price_per_million=None)
    ledger.limit_months(project, PRICE)

    score()

    assert (stub.requests, error_codes(run)) == ([], {"price_required"})


@pytest.mark.parametrize(("fault", "lost"), [("rate limit", 0), ("server error", 0), ("not JSON", 1)])
def test_only_calls_of_unknown_cost_keep_their_worst_case(project, stub, fault, lost):
    stub.answer = failing(10_000, FAULTS[fault])  # the first call
    semantic_run(project, stub.url)

    score()

    assert Counter(Spending.objects.values_list("state", flat=True)) == Counter(
        {"settled": len(stub.requests) - lost} | ({"lost": 1} if lost else {})
    )
    assert (ledger.spent_this_month(project) > 2 * SIZE * PRICE) == bool(lost)


# ---- money that somebody named -----------------------------------------------------------------------------


@pytest.mark.parametrize("money", [factories.NOTHING, Money(max_calls=10**6), Money(budget=10**15)])
def test_no_vector_is_bought_without_money_and_the_run_is_complete(project, stub, money):
    run = semantic_run(project, stub.url, money=money)

    score()

    is_paid = money != factories.NOTHING
    run.refresh_from_db()
    assert (run.status, bool(stub.requests)) == (Run.Status.COMPLETED, is_paid)
    assert counts(run.scorings.get()) == {"total": SIZE, "scored" if is_paid else "not_sent": SIZE}
    assert [waits.answers for waits in waiting.of(run.experiment, [run])] == ([] if is_paid else [SIZE])


def test_money_that_is_named_later_pays_what_waits(project, stub):
    run = semantic_run(project, stub.url, money=factories.NOTHING)
    score()

    pay(run, Evaluator.objects.all())
    score()

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}
    assert set(asked_for(stub).values()) == {1}


def test_money_that_is_named_while_a_run_is_scored_pays_at_the_end(project, stub):
    run = semantic_run(project, stub.url, money=factories.NOTHING)
    claimed = scoring.claim()
    results = scoring.score(claimed)
    pay(run, Evaluator.objects.all())
    scoring.close(claimed, results)
    scoring.finish(claimed.chunk.job)
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING

    score()

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}


def test_no_more_is_spent_than_was_named_and_more_money_pays_only_the_rest(project, stub, monkeypatch):
    monkeypatch.setattr(embedding_batches, "BATCH_SIZE", 50)
    run = semantic_run(project, stub.url, money=Money(max_calls=5))
    score()
    first = counts(run.scorings.get())
    assert (len(stub.requests), first["not_sent"] > 0, "error" in first) == (5, True, False)

    pay(run, Evaluator.objects.all(), Money(max_calls=7))
    score()

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}
    assert set(asked_for(stub).values()) == {1}
    assert sorted(Budget.objects.filter(month="").values_list("calls", flat=True)) == [5, 7]


def test_columns_scored_before_stay_scored_without_money(project, stub):
    run = semantic_run(project, stub.url)
    score()
    Allowance.objects.all().delete()
    calls = len(stub.requests)

    jobs.score_again(run)
    score()

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}
    assert len(stub.requests) == calls


def test_a_limit_in_money_needs_a_price(project, stub):
    run = semantic_run(project, stub.url, money=factories.NOTHING)
    Connection.objects.update(price_per_million=None)

    with pytest.raises(Invalid) as refusal:
        pay(run, Evaluator.objects.all(), Money(budget=10**12))
    assert refusal.value.code == "price_required"


def test_of_several_right_answers_one_that_is_not_paid_may_be_the_best(project, stub):
    semantic_run(project, stub.url, size=1)
    score()
    project.refresh_from_db()  # It has a default connection by now.
    several = evaluators.create(
        project,
        None,
        "several",
        "semantic_similarity",
        {},
        {"expected": {"path": "$.reference.answer", "many": "any"}},
    )
    contexts = Contexts.of_rows(
        [{"output": OUTPUTS[0], "reference": {"answer": [REFERENCES[0], "a new text"]}}]
    )
    recipe = Recipe.from_version(experiments.newest([several])[0])

    scores = recipe.scores(contexts, embed=embeddings.embedder(project, recipe))

    assert (scores.status.tolist(), len(stub.requests)) == ([Status.NOT_SENT], 1)


# ---- turns -------------------------------------------------------------------------------------------------


@pytest.fixture
def short_turns(monkeypatch, settings):
    """A turn ends with its first answer, and an answer holds few texts."""
    monkeypatch.setattr(scoring, "TURN", 0)
    monkeypatch.setattr(embedding_batches, "BATCH_SIZE", 50)


@pytest.mark.long
def test_a_slow_server_is_called_in_turns_until_all_is_scored(project, stub, short_turns):
    run = semantic_run(project, stub.url)

    score()

    scored = run.scorings.get()
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    assert set(asked_for(stub).values()) == {1}
    assert (scored.usage["hits"], scored.usage["calls"], scored.usage["tokens"]) == (0, 12, 2 * SIZE)


@pytest.mark.long
def test_an_evaluator_that_finds_everything_has_no_turns_and_the_next_has(project, stub, short_turns):
    run = semantic_run(project, stub.url)
    score()
    calls = len(stub.requests)
    others = [
        factories.evaluator(project, "semantic_similarity", name, **config)
        for name, config in {
            "with a threshold": {"threshold": 0.5},
            "by another model": {"model": "b"},
        }.items()
    ]

    pay(run, others)
    score()

    reused, fetched = [run.scorings.get(evaluator_version__evaluator=evaluator).usage for evaluator in others]
    assert (reused["hits"], reused["calls"], reused["tokens"]) == (2 * SIZE, 0, 0)
    assert (fetched["hits"], fetched["calls"], fetched["tokens"]) == (0, len(stub.requests) - calls, 2 * SIZE)


def test_between_the_turns_of_a_chunk_others_are_scored(project, stub, short_turns):
    run = semantic_run(project, stub.url)
    claimed = scoring.claim()

    with pytest.raises(Interrupted):
        scoring.score(claimed)
    scoring.pause(claimed)

    assert len(stub.requests) == 1
    [chunk] = run.jobs.get().chunks.all()
    assert (chunk.state, chunk.token, chunk.attempt) == ("ready", "", 0)
    assert chunk.usage == {str(run.scorings.get().pk): {"hits": 0, "calls": 1, "tokens": 50, "fetched": 50}}


def test_a_store_that_keeps_nothing_does_not_make_turns_endless(project, stub, short_turns, monkeypatch):
    run, pause = semantic_run(project, stub.url), scoring.pause

    def forgetful(claimed, seconds):
        Embedding.objects.all().delete()
        return pause(claimed, seconds)

    monkeypatch.setattr(scoring, "pause", forgetful)
    score()

    assert counts(run.scorings.get()) == {"total": SIZE, "scored": SIZE}
    assert len(stub.requests) == 1 + 12  # the first turn, and all others as one


@pytest.mark.long
def test_a_turn_that_brought_vectors_counts_as_no_attempt(project, stub, short_turns):
    run = semantic_run(project, stub.url)
    for _ in range(2 * queue.ATTEMPTS):
        lose_the_worker_in_its_turn()

    [chunk] = run.jobs.get().chunks.all()
    assert (chunk.attempt, chunk.total) == (1, SIZE)


def lose_the_worker_in_its_turn():
    claimed = scoring.claim()
    with pytest.raises(Interrupted):
        scoring.score(claimed)
    expire(claimed.chunk)


def test_after_a_cancel_the_server_is_asked_no_more(project, stub, monkeypatch):
    monkeypatch.setattr(embedding_batches, "BATCH_SIZE", 50)
    run = semantic_run(project, stub.url)

    extend, answers = scoring.extend, count(1)

    def cancelled_after_three(claimed):
        if next(answers) == 3:
            jobs.cancel(run)
        return extend(claimed)

    monkeypatch.setattr(scoring, "extend", cancelled_after_three)
    score()

    run.refresh_from_db()
    assert (run.status, len(stub.requests)) == ("cancelled", 3)
    assert Embedding.objects.count() == 3 * 50


# ---- retries -----------------------------------------------------------------------------------------------

FAULTS = {
    "rate limit": json_reply({"error": {"message": "slow down"}}, 429, Retry_After="1"),
    "server error": json_reply({"error": {"message": "boom"}}, 500),
    "no key": json_reply({"error": {"message": "who are you?"}}, 401),
    "not JSON": json_reply(b"<html>"),
    "too few": json_reply({"object": "list", "data": []}),
}


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_failed_examples_are_tried_again_and_the_others_are_left_alone(project, stub, fault):
    run = semantic_run(project, stub.url)
    stub.answer = lambda request: fault if "question 7 " in " ".join(request["input"]) else embedded(request)
    complete(run)
    failed = run.scorings.get()
    before = columns.load(failed.pk)
    assert failed.summary["counts"]["error"] > 0

    stub.answer = embedded
    scored = retry_errors(run)

    after = columns.load(scored.pk)
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    scored_before = before.status == Status.SCORED
    assert np.array_equal(before.values[scored_before], after.values[scored_before])
    assert scored.usage["calls"] == len(stub.requests)


def test_a_text_that_has_its_vector_is_not_sent_again(project, stub):
    run = semantic_run(project, stub.url)
    stub.answer = failing(2, json_reply({"error": {"message": "no"}}, 401))
    score()
    vectors_before = Embedding.objects.count()
    requests_before = len(stub.requests)

    stub.answer = embedded
    scored = retry_errors(run)

    later = Counter(text for request in stub.requests[requests_before:] for text in request["input"])
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    assert set(later.values()) == {1}
    assert len(later) == 2 * SIZE - vectors_before


def test_a_retry_adds_to_the_usage(project, stub):
    run = semantic_run(project, stub.url)
    stub.answer = lambda request: json_reply({"error": {"message": "no"}}, 401)
    score()
    first = run.scorings.get().usage

    stub.answer = embedded
    scored = retry_errors(run)

    assert first["calls"] >= 1
    assert scored.usage["calls"] == len(stub.requests)
    assert scored.usage["tokens"] == 2 * SIZE


def test_nothing_is_queued_where_nothing_failed(project, stub):
    run = semantic_run(project, stub.url)
    score()
    run.refresh_from_db()

    runs.retry_errors(run, Evaluator.objects.all())

    assert run.status == Run.Status.COMPLETED


def test_a_server_that_wants_no_call_for_long_holds_no_worker_and_costs_no_score(project, stub):
    run = semantic_run(project, stub.url)
    limit = {"number": 1, "rate": 5.0, "since": time.time(), "resume_at": time.time() + 60}
    ServerLimit.objects.create(connection=Connection.objects.get(), **limit)

    score()

    job = run.jobs.get()
    assert not stub.requests
    assert set(job.chunks.values_list("state", flat=True)) == {Chunk.State.READY}
    assert timedelta(seconds=50) < job.ready_at - timezone.now() < timedelta(seconds=61)


# ---- the store is bounded ----------------------------------------------------------------------------------


def test_the_oldest_vectors_leave_beyond_the_limit(project, stub, settings, monkeypatch):
    run = semantic_run(project, stub.url)
    score()
    oldest = list(Embedding.objects.order_by("created_at").values_list("digest", flat=True)[:100])
    monkeypatch.setattr(purging, "FORGOTTEN", 100)

    purging.forget_oldest(
        Embedding, "vector", 16 * 500
    )  # a vector of the stub has four numbers of four bytes

    assert Embedding.objects.count() == 500
    assert not Embedding.objects.filter(digest__in=[bytes(digest) for digest in oldest]).exists()
    assert run.scorings.get().summary["n"] == SIZE


def test_purging_keeps_the_store_within_the_setting(project, stub, settings):
    semantic_run(project, stub.url)
    score()
    settings.EVALSITE_EMBEDDINGS_MB = 1
    purging.forget_vectors()
    vectors_within = Embedding.objects.count()

    settings.EVALSITE_EMBEDDINGS_MB = 0
    purging.forget_vectors()

    assert (vectors_within, Embedding.objects.count()) == (2 * SIZE, 0)


# ---- the shared provider -----------------------------------------------------------------------------------


@pytest.fixture
def provider(monkeypatch):
    """The fake provider. Its pauses are real: a clock that runs ahead would spend the slices of its limit."""
    monkeypatch.setattr(connections, "client", CLIENT)
    if not FAKE.exists():
        pytest.skip("the fake provider of ../shared is not here")
    process = subprocess.Popen([sys.executable, FAKE, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}"
    finally:
        process.terminate()
        process.wait()


def provider_answer(address, path, **body):
    content = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(f"{address}/{path}", content)) as answer:
        return json.load(answer)


MODES = ["ok", "r429", "r500", "emb_short", "emb_nan", "emb_shuffled", "emb_dims", "emb_base64"]


@pytest.mark.long
@pytest.mark.parametrize("share", [pytest.param(1.0, marks=pytest.mark.slow), 0.5])
@pytest.mark.parametrize("mode", MODES)
def test_no_fault_of_a_provider_leaves_a_wrong_or_a_lasting_trace(project, provider, mode, share):
    run = semantic_run(project, f"{provider}/v1")
    provider_answer(provider, "_mode", mode=mode, p=share, seed=3)
    complete(run)
    disturbed = columns.load(run.scorings.get().pk)

    provider_answer(provider, "_mode", mode="ok")
    scored = retry_errors(run)
    control = factories.scored_run(run.experiment, OUTPUTS, "control", factories.ENOUGH)
    Embedding.objects.all().delete()
    scored_anew = factories.scored_run(run.experiment, OUTPUTS, "fresh", factories.ENOUGH)
    complete(scored_anew)

    values = [columns.load(scored.scorings.get().pk).values for scored in (run, control, scored_anew)]
    assert counts(scored) == {"total": SIZE, "scored": SIZE}
    assert error_codes(scored_anew) == set()
    assert np.array_equal(values[0], values[1], equal_nan=True)
    assert np.allclose(values[0], values[2], atol=1e-6, equal_nan=True)
    scored_before = disturbed.status == Status.SCORED
    assert np.array_equal(disturbed.values[scored_before], values[0][scored_before])
