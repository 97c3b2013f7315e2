"""A launch buys no answer whose judges could not be paid: their worst case is set aside with the call for it."""

import pytest

from evaluations.judges import allowances, asides, readings
from evaluations.models import Budget, Judging, Output, Run, Verdict
from evaluations.prompts import held, ledger
from evaluations.prompts.needs import Aside
from tests import factories

from .conftest import PRICE, judged_calls, work_on

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 8
ANSWER, VERDICT = 11 * PRICE, 110 * PRICE  # what the stand-in bills for each


@pytest.fixture
def experiment(project):
    return factories.experiment(project, references=["Paris"] * SIZE)


def outcome(launch):
    launch.refresh_from_db()
    launch.budget.refresh_from_db()
    answers = Output.objects.filter(run__generation__launch=launch, text__isnull=False).count()
    return launch.status, answers, Verdict.objects.filter(state="given").count()


def limit(launch, ones):
    """Limit a launch to the worst case of one answer with its verdict, and the usual cost of so many others."""
    [reader] = asides.of_run(Run.objects.get(), launch.budget_id)
    worst = reader.of_answer(100, 60).amount + 300 * PRICE
    most = worst + ones * (ANSWER + VERDICT)
    assert SIZE * worst > most, "the worst case of all does not fit"
    Budget.objects.filter(pk=launch.budget_id).update(limit=most)


@pytest.mark.long
def test_a_launch_at_its_limit_has_bought_no_answer_without_its_verdict(stub, launched, judge):
    launch = launched(budget=1)
    limit(launch, 1)
    work_on()
    status, answers, verdicts = outcome(launch)
    assert status == "limit"
    assert 1 <= answers == verdicts < SIZE
    assert launch.budget.committed <= launch.budget.limit
    assert (launch.budget.held, launch.budget.held_calls) == (0, 0)


@pytest.mark.long
def test_judges_read_early_what_was_bought_so_that_the_launch_goes_on(stub, launched, judge):
    launch = launched(budget=1)
    limit(launch, SIZE)
    work_on()
    assert outcome(launch) == ("running", SIZE, SIZE)
    assert Run.objects.get().status == "completed"
    assert {judging.purpose for judging in Judging.objects.all()} == {"early", "scores"}
    assert judged_calls(stub) == SIZE, "no answer is judged twice"
    assert launch.budget.committed == SIZE * (ANSWER + VERDICT)
    assert launch.budget.held == 0
    [reading] = readings.of(launch.budget)
    assert (reading.status, reading.done, reading.total, reading.cost) == (
        "completed",
        SIZE,
        SIZE,
        SIZE * VERDICT,
    )


@pytest.mark.long
def test_a_number_of_calls_is_set_aside_as_well(stub, launched, judge):
    launch = launched(max_calls=7)
    work_on()
    status, answers, verdicts = outcome(launch)
    assert (status, answers) == ("limit", verdicts)
    assert verdicts >= 2
    assert len(stub.requests) <= 7
    allowances.resume(launch, max_calls=30)
    work_on()
    assert outcome(launch)[1:] == (SIZE, SIZE)
    assert len(stub.requests) == 2 * SIZE


def test_a_call_that_gives_no_answer_holds_nothing(project, settings):
    connection = factories.connection(project, settings)
    call = ledger.Call(connection, "tiny", None, None, Aside(300, 2))
    lost = ledger.reserve_many([call, call], Budget.objects.create(project=project, max_calls=9))[0]
    of_both = lost[0].budget
    of_both.refresh_from_db()
    assert (of_both.held, of_both.held_calls) == (600, 4)
    held.release(lost[:1])
    of_both.refresh_from_db()
    assert (of_both.held, of_both.held_calls) == (300, 2)


def test_what_is_set_aside_pays_judges_and_nobody_else(project, settings):
    connection = factories.connection(project, settings)
    budget = Budget.objects.create(project=project, max_calls=3)
    answer = ledger.Call(connection, "tiny", None, None, Aside(0, 2))
    ledger.reserve_many([answer], budget)
    assert ledger.reserve_many([answer], budget) == ([], budget)
    spendings, full = ledger.reserve_many(
        [ledger.Call(connection, "tiny", None, None, use_aside=True)], budget
    )
    assert (len(spendings), full) == (1, None)


def test_a_deleted_run_holds_nothing(launched, judge):
    launch = launched(budget=10**15)
    Budget.objects.filter(pk=launch.budget_id).update(held=5_000, held_calls=4)
    Run.objects.update(deleted_at="2026-01-01T00:00:00Z")
    assert asides.count(launch.budget)
    launch.budget.refresh_from_db()
    assert launch.budget.held == 0
