"""Limits of money hold while prices and limits change, whatever servers count."""

import itertools
import threading
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluations import leases
from evaluations.api.serializers.launch import LaunchSerializer
from evaluations.errors import Invalid
from evaluations.evaluators import connections
from evaluations.launches import generating, launches, states, storing
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Chunk, Output, Price, Run, Spending
from evaluations.prompts import ledger, prices, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.clients.stub import json_reply

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 30
TOKEN = 10**6  # the price of a token, in the ledger's unit


def answer(prompt_tokens=10, completion_tokens=2):
    choice = {"message": {"role": "assistant", "content": "Paris"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return json_reply({"model": "tiny-1", "choices": [choice], "usage": usage})


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(storing, "LONGEST_PAUSE", 0.0)


@pytest.fixture
def started(project, settings, serve):
    """Starts a launch of one variant on a server that answers so."""
    settings.PROVIDER_ALLOWED_HOSTS, settings.EVALSITE_IN_FLIGHT = ["127.0.0.1"], 4

    def start(answer_to, *, price=10**6, parameters=None, names=("v1",), **plan):
        server = connections.create(project, None, "server", serve(answer_to).url, "k-secret-123")
        if price is not None:
            prices.set_price(server, "tiny", price, price, None, timezone.now().date())
        messages = [{"role": "user", "content": "Where is {{ question }}?"}]
        content = Content(
            messages, "tiny", {"max_tokens": 5} if parameters is None else parameters, connection=server
        )
        version = prompts.version_of(prompts.create(project, None, "p", content))
        experiment = factories.experiment(project, references=["Paris"] * SIZE)
        variants = [Variant(version, name) for name in names]
        return launches.create(experiment, None, variants, Plan(seed=1, **plan))

    return start


def finish(launch):
    while generating.work():
        pass
    launch.refresh_from_db()
    launch.budget.refresh_from_db()


def errors():
    return {error.partition(":")[0] for error in Output.objects.values_list("error", flat=True) if error}


@pytest.mark.long
def test_a_price_that_is_deleted_while_a_launch_runs_lifts_no_budget(started):
    numbers = itertools.count(1)
    calls = []

    def served(request):
        calls.append(request)
        if next(numbers) == 5:
            Price.objects.all().delete()
        return answer(20, 5)

    launch = started(served, budget=250 * TOKEN)  # a call reserves about 80 tokens, and costs 25
    finish(launch)

    assert len(calls) * 25 * TOKEN == launch.budget.committed <= 250 * TOKEN
    assert 5 < len(calls) < SIZE
    assert states.of_launch(launch).status == "limit"


@pytest.mark.long
def test_a_price_that_rises_while_a_launch_runs_counts_when_it_is_continued(started):
    launch = started(lambda request: answer(), pilot=True)
    server = launch.generations.get().connection
    prices.set_price(server, "tiny", 7_000_000, 7_000_000, None, timezone.now().date())
    finish(launch)

    assert {spending.input_price for spending in Spending.objects.all()} == {10**6}
    launches.resume(launch)
    finish(launch)

    assert {spending.input_price for spending in Spending.objects.all()} == {10**6, 7_000_000}


@pytest.mark.parametrize(
    ("made", "code"),
    [({"price": None}, "price_required"), ({"parameters": {}}, "max_tokens_required")],
    ids=["no price", "answers of any length"],
)
def test_a_launch_that_cannot_be_limited_stops_when_its_project_gets_a_limit(project, started, made, code):
    numbers, is_limited = itertools.count(1), threading.Event()
    calls = []

    def served(request):
        calls.append(request)
        number = next(numbers)
        if number == 3:
            ledger.limit_months(project, 10**15)
            is_limited.set()
        elif number > 3:
            is_limited.wait(30)  # the writer of the limit may wait for the database while others answer
        return answer()

    launch = started(served, **made)
    finish(launch)

    assert len(calls) < SIZE
    assert states.of_launch(launch).status == "failed"
    assert Run.objects.get().error["code"] == code
    with pytest.raises(Invalid) as refusal:
        launches.resume(launch)
    assert refusal.value.code == code


@pytest.mark.long
@pytest.mark.parametrize("price", [None, 1, 10**12])
def test_a_server_that_counts_absurdly_many_tokens_gives_bad_answers(started, price):
    launch = started(lambda request: answer(2**31 - 1), price=price, tolerated=1.0)
    finish(launch)

    assert errors() == {"bad_answer"}
    assert (launch.budget.calls, Output.objects.count()) == (SIZE, SIZE)


def test_a_call_that_costs_more_than_the_database_can_count_is_capped(started):
    launch = started(lambda request: answer(10**8, 10**8), price=10**12, cache=False)
    finish(launch)

    costs = set(Spending.objects.values_list("cost", flat=True))
    assert (errors(), costs) == (set(), {prices.LARGEST_COST})
    assert launch.budget.committed == launch.budget.calls * prices.LARGEST_COST


@pytest.mark.long
def test_page_and_api_say_how_much_of_the_cost_is_unknown(project, started, alice, client):
    launch = started(lambda request: json_reply({"choices": [{"message": {"content": "Paris"}}]}))
    finish(launch)
    client.force_login(alice)

    page = client.get(reverse("launch-detail", args=[launch.pk])).content.decode()
    in_api = LaunchSerializer(launch).data

    assert ledger.unknown_of(launch.budget) == launch.budget.committed > 0
    assert in_api["spent_unknown"] == in_api["spent"]
    assert "is the maximum of calls whose cost is unknown" in " ".join(page.split())


def test_what_a_dead_worker_has_reserved_is_unknown_at_once(started):
    launch = started(lambda request: answer())
    finish(launch)
    Spending.objects.update(state=Spending.State.RESERVED, cost=None, lease="of a living worker")
    chunk = Chunk.objects.all()
    chunk.update(token="of a living worker", lease_until=leases.now() + timedelta(hours=1))
    reserved = sum(spent.worst for spent in Spending.objects.all())

    assert ledger.unknown_of(launch.budget) == 0
    chunk.update(lease_until=leases.now())
    assert ledger.unknown_of(launch.budget) == reserved > 0


def test_a_spent_limit_leaves_the_same_examples_of_all_variants(started):
    launch = started(lambda request: answer(), names=("v1", "v2"), max_calls=20, cache=False)

    finish(launch)

    one, other = (
        set(run.outputs.values_list("position", flat=True))
        for run in Run.objects.filter(generation__launch=launch)
    )
    assert launch.status == launch.Status.LIMIT
    assert len(one) + len(other) == 20
    assert len(one & other) >= 8


def test_time_left_counts_only_answers_that_the_limits_pay_for(started):
    launch = started(lambda request: answer(), max_calls=20)
    launch.budget.calls = 5

    assert states.payable(launch, states.Progress(5, 30)) == 15
    launch.budget.max_calls = 500
    assert states.payable(launch, states.Progress(5, 30)) == 25


def test_calls_under_way_do_not_count_as_dear_as_they_can_be_in_what_the_limits_pay_for(started):
    launch = started(lambda request: answer(), max_calls=500)
    month = ledger.month_of(launch.experiment.project)
    Spending.objects.create(month=month, budget=launch.budget, state="reserved", worst=900)
    launch.budget.calls, launch.budget.committed, launch.budget.limit = 6, 900 + 50, 1_000

    assert states.payable(launch, states.Progress(5, 105)) == 95
