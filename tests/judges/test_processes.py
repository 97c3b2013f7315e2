"""A worker that is killed while a judge reads: what it had been answered is not asked again."""

import threading
from collections import Counter

import psutil
import pytest

from evaluations import tasks
from evaluations.judges import judgings
from evaluations.models import Judging, Spending, Verdict
from evaluations.prompts.named import Money
from tests import processes
from tests.processes import wait_until

from .conftest import said

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]
LEASE = 4  # seconds
REPAIR = 4  # messages of a request after an answer that could not be read


def test_a_worker_killed_between_two_calls_of_a_judge_does_not_repeat_the_first(
    serve, run, make_judge, broker, tmp_path
):
    """Every first answer cannot be read, and the worker is killed while it waits for the second ones."""
    over = threading.Event()

    def answers(request):
        if len(request["messages"]) < REPAIR:
            return said(None, text="It looks fine to me!")
        over.wait(120)
        return said("pass")

    stub = serve(answers)
    version = make_judge(stub)
    [judging] = judgings.start([run], [version], None, Money(budget=10**15))
    caller = processes.worker(
        tmp_path / "caller.log",
        broker,
        queues="calls",
        EVALSITE_LEASE=str(LEASE),
        EVALSITE_ANSWERS_MB="0",
        EVALSITE_PROVIDER_ALLOWED_HOSTS="127.0.0.1",
    )
    try:

        def waits_for_repairs() -> bool:
            unread = judging.verdicts.filter(state=Verdict.State.UNREAD).count()
            return unread == 3 and sum(len(request["messages"]) == REPAIR for request in stub.requests) == 3

        wait_until(waits_for_repairs, f"three answers are unread\n{caller.output}", seconds=120)
        for child in psutil.Process(caller.popen.pid).children():
            child.kill()
        over.set()

        def has_ended() -> bool:
            tasks.sweep()
            return Judging.objects.get(pk=judging.pk).status != Judging.Status.RUNNING

        wait_until(has_ended, f"the judging has ended\n{caller.output}", seconds=180)
    finally:
        over.set()
        caller.end()
    first = Counter(str(r["messages"]) for r in stub.requests if len(r["messages"]) < REPAIR)
    assert sorted(first.values()) == [1, 1, 1]
    stored = judging.verdicts.values_list("state", "calls", "cost")
    assert set(stored) == {("given", 2, 220 * 10**6)}
    assert_lost_calls_stay_counted(judging, len(stub.requests))


def assert_lost_calls_stay_counted(judging: Judging, calls: int) -> None:
    """Every call is an entry; a busy machine loses a lease and makes more than nine."""
    entries = list(Spending.objects.filter(budget=judging.budget_id))
    lost = [entry for entry in entries if entry.state != Spending.State.SETTLED]
    assert (len(entries), len(lost)) == (calls, 3), "the calls in flight at the kill stay in the ledger"
    judging.budget.refresh_from_db()
    counted = sum(entry.worst if entry in lost else (entry.cost or 0) for entry in entries)
    assert judging.budget.committed == counted, "with their worst case"
