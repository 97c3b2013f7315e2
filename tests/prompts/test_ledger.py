"""Limits hold: the worst case of a call is reserved before it is made. Amounts are computed by hand."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection as database
from django.utils import timezone

from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid
from evaluations.models import Budget, Project, Spending
from evaluations.prompts import ledger
from evaluations.prompts.prices import Rates
from tests import factories

RATES = Rates(input=2, cached=1, output=10)
LARGEST_CALL = Tokens(input=100, output=80)  # At worst 100 × 2 + 80 × 10 = 1 000.


@pytest.fixture
def call(project, settings) -> ledger.Call:
    return ledger.Call(factories.connection(project, settings), "m", RATES, LARGEST_CALL)


def budget(project, limit: int | None = 2_500, **options) -> Budget:
    return Budget.objects.create(project=project, limit=limit, **options)


def committed(budget: Budget) -> int:
    budget.refresh_from_db()
    return budget.committed


def test_a_reservation_takes_the_worst_case_and_keeps_the_prices(project, call):
    launch_budget = budget(project)

    spending = ledger.reserve(call, launch_budget)

    assert (spending.state, spending.worst, spending.cost) == ("reserved", 1_000, None)
    assert (spending.input_price, spending.cached_price, spending.output_price) == (2, 1, 10)
    assert committed(launch_budget) == 1_000


def test_a_call_that_does_not_fit_is_refused_and_takes_nothing(project, call):
    launch_budget = budget(project)
    ledger.limit_months(project, 999)
    month = ledger.month_of(project)

    with pytest.raises(ledger.LimitReached) as refusal:
        ledger.reserve(call, launch_budget)

    assert refusal.value.budget == month
    assert (committed(launch_budget), committed(month), Spending.objects.count()) == (0, 0, 0)


def test_of_many_calls_as_many_are_reserved_as_fit(project, call):
    launch_budget = budget(project, 2_500)

    spendings, full = ledger.reserve_many([call] * 4, launch_budget)

    assert (len(spendings), full, committed(launch_budget)) == (2, launch_budget, 2_000)
    assert committed(ledger.month_of(project)) == 2_000
    assert set(Spending.objects.values_list("pk", flat=True)) == {spending.pk for spending in spendings}


def test_many_calls_that_fit_are_reserved_at_once(project, call, django_assert_max_num_queries):
    launch_budget = budget(project, 64_000)
    ledger.month_of(project)

    with django_assert_max_num_queries(10):
        spendings, full = ledger.reserve_many([call] * 64, launch_budget)

    launch_budget.refresh_from_db()
    assert (len(spendings), full, launch_budget.committed, launch_budget.calls) == (64, None, 64_000, 64)


def test_a_budget_is_used_up_when_nothing_fits_and_nothing_is_awaited(project, call):
    launch_budget = budget(project, 1_500)
    spending = ledger.reserve(
        call, launch_budget
    )  # 500 are left, which is enough if the call turns out cheaper

    assert not ledger.is_used_up(launch_budget, call)
    ledger.settle(spending, Tokens(10, 10))  # it cost 120, so 1 380 are left
    assert not ledger.is_used_up(launch_budget, call)
    ledger.give_up(ledger.reserve(call, launch_budget))
    assert ledger.is_used_up(launch_budget, call)


def test_a_limit_of_calls_holds_for_many_at_once(project, call):
    launch_budget = budget(project, None, max_calls=3)

    spendings, full = ledger.reserve_many([call] * 5, launch_budget)

    assert (len(spendings), full) == (3, launch_budget)


def test_a_limit_is_reached_to_the_last_unit(project, call):
    launch_budget = budget(project, 2_000)

    ledger.reserve(call, launch_budget)
    ledger.reserve(call, launch_budget)

    with pytest.raises(ledger.LimitReached):
        ledger.reserve(call, launch_budget)
    assert committed(launch_budget) == 2_000


def test_settling_releases_unspent_money(project, call):
    """60 tokens at 2, 30 cached ones at 1 and 5 at 10 cost 200."""
    launch_budget = budget(project)
    spending = ledger.reserve(call, launch_budget)

    for _ in range(2):
        ledger.settle(spending, Tokens(90, 5, cached=30, reasoning=2))

    spending.refresh_from_db()
    assert (spending.state, spending.cost, committed(launch_budget)) == ("settled", 200, 200)
    assert (spending.tokens_in, spending.tokens_out) == (90, 5)
    assert (spending.tokens_cached, spending.tokens_reasoning) == (30, 2)


@pytest.mark.parametrize(("tokens", "cost"), [(Tokens(0, 0), 0), (None, 1_000)], ids=["refused", "lost"])
def test_a_lost_call_costs_its_worst_case(project, call, tokens, cost):
    launch_budget = budget(project)
    spending = ledger.reserve(call, launch_budget)

    ledger.settle(spending, tokens)
    ledger.settle(spending, Tokens(1, 1))

    assert committed(launch_budget) == cost


def test_calls_that_were_never_settled_are_lost_at_their_worst(project, call):
    launch_budget = budget(project)
    old, recent = (ledger.reserve(call, launch_budget) for _ in range(2))
    Spending.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=2))

    assert ledger.give_up_older(timezone.now() - timedelta(hours=1)) == 1

    assert dict(Spending.objects.values_list("pk", "state")) == {old.pk: "lost", recent.pk: "reserved"}
    assert committed(launch_budget) == 2_000


def test_without_a_price_the_number_of_calls_is_limited(project, call):
    free = ledger.Call(call.connection, "unknown", None, LARGEST_CALL)
    launch_budget = budget(project, None, max_calls=1)

    spending = ledger.reserve(free, launch_budget)
    ledger.settle(spending, Tokens(9, 9))

    with pytest.raises(ledger.LimitReached):
        ledger.reserve(free, launch_budget)
    assert (committed(launch_budget), launch_budget.calls) == (0, 1)


def test_an_amount_beyond_all_limits_is_refused(project, call):
    vast = ledger.Call(call.connection, "m", Rates(10**12, 0, 10**12), Tokens(10**9, 10**9))

    with pytest.raises(ledger.LimitReached):
        ledger.reserve(vast, budget(project, None))


def test_a_month_has_one_budget_with_the_projects_limit(project):
    november, december = datetime(2026, 11, 30, 23, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
    ledger.limit_months(project, 5)

    first, again, later = (ledger.month_of(project, at) for at in (november, november, december))

    assert first == again != later
    assert (first.month, later.month, later.limit) == ("2026-11", "2026-12", 5)


def test_a_new_limit_holds_at_once(project, call):
    month = ledger.month_of(project)
    ledger.reserve(call)

    ledger.limit_months(project, 1_500)

    with pytest.raises(ledger.LimitReached, match=month.month):
        ledger.reserve(call)


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ({"max_completion_tokens": 7}, Tokens(27, 7)),
        ({"max_tokens": 7, "m": "é"}, Tokens(25, 7)),
        ({"max_tokens": 7, "max_completion_tokens": 9}, Tokens(42, 9)),
        ({"max_tokens": 7, "m": [{"image_url": {"url": "u"}}]}, Tokens(50_048, 7)),
    ],
)
def test_the_worst_case_counts_bytes_images_and_the_longest_answer(body, tokens):
    assert ledger.most_tokens(body) == tokens


@pytest.mark.parametrize("parameters", [{}, {"max_tokens": None}, {"max_tokens": True}, {"max_tokens": "9"}])
def test_a_request_whose_answer_has_no_limit_has_no_worst_case(parameters):
    assert ledger.most_tokens(parameters) is None
    with pytest.raises(Invalid):
        ledger.require_length_limit(parameters)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_many_workers_at_once_never_exceed_a_limit(project, call):
    """Ten workers reserve, settle and lose calls of 1 000 until no further call fits."""
    if database.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time.")
    launch_budget, month = budget(project, 40_000), ledger.month_of(project)

    def work(number: int) -> int:
        calls = 0
        try:
            while True:
                spending = ledger.reserve(call, launch_budget)
                calls += 1
                assert Budget.objects.get(pk=launch_budget.pk).committed <= 40_000
                ledger.settle(spending, Tokens(50, 40)) if calls % 2 else ledger.give_up(spending)
        except ledger.LimitReached:
            return calls
        finally:
            database.close()

    with ThreadPoolExecutor(10) as pool:
        calls = sum(pool.map(work, range(10)))

    paid = sum(Spending.objects.values_list("cost", flat=True))
    assert Spending.objects.count() == calls
    assert committed(launch_budget) == committed(month) == paid
    assert 39_000 < paid <= 40_000


def test_a_new_month_begins_with_the_limit_of_today(project):
    """The worker still has the project as it was last month."""
    stale = Project.objects.get(pk=project.pk)
    ledger.limit_months(project, 5)

    assert ledger.month_of(stale, datetime(2031, 1, 1, tzinfo=UTC)).limit == 5
