"""Launches in real processes: a server that hangs, and a worker that is killed."""

import io
import threading
import time

import psutil
import pytest
from django.core.files.base import File
from django.utils import timezone

from evaluations import tasks
from evaluations.evaluators import connections
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Budget, Chunk, Dataset, Launch, Spending
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories, processes
from tests.clients.stub import json_reply
from tests.processes import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]
LEASE = 4  # seconds
PRICE = 1_000_000  # one unit of the currency per million tokens
WORST = 10**6  # of a token, in the ledger's unit
ANSWER = {
    "choices": [{"message": {"role": "assistant", "content": "Paris"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
}


@pytest.fixture
def hanging():
    """Set it to let the calls that hang end."""
    over = threading.Event()
    yield over
    over.set()


@pytest.fixture
def launch(project, settings, serve):
    """Starts a launch of 30 examples with this server."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def start(reply, budget: int) -> Launch:
        stub = serve(reply)
        connection = connections.create(project, None, "server", stub.url, "k")
        prices.set_price(connection, "tiny", PRICE, PRICE, None, timezone.now().date())
        content = Content(
            [{"role": "user", "content": "Where is {{ question }}?"}],
            "tiny",
            {"max_completion_tokens": 10},
            connection=connection,
        )
        variant = Variant(prompts.version_of(prompts.create(project, None, "p", content)), "v1")
        experiment = factories.experiment(project, references=["Paris"] * 30)
        return launches.create(experiment, None, [variant], Plan(seed=1, budget=budget))

    return start


def reserved() -> list[Spending]:
    return list(Spending.objects.filter(state=Spending.State.RESERVED))


def test_a_launch_whose_worker_is_killed_at_its_limit_says_limit_within_two_leases(
    launch, broker, tmp_path, hanging
):
    """One call hangs; its reservation is all that could still release money when its worker is killed."""
    calls = []

    def reply(request):
        calls.append(request)
        if len(calls) == 1:
            hanging.wait(300)
        return json_reply(ANSWER)

    worker = processes.worker(
        tmp_path / "caller.log",
        broker,
        queues="calls",
        EVALSITE_LEASE=str(LEASE),
        EVALSITE_PROVIDER_ALLOWED_HOSTS="127.0.0.1",
    )
    try:
        started = launch(reply, budget=250 * WORST)

        def at_limit() -> bool:
            budget = Budget.objects.get(pk=started.budget_id)
            open_calls = reserved()
            return len(open_calls) == 1 and budget.committed + open_calls[0].worst > 250 * WORST

        # Callers give way to everything else, so on a busy machine thirty calls can take minutes.
        wait_until(at_limit, f"one reservation is open at the limit\n{worker.output}", seconds=240)
        [child] = psutil.Process(worker.popen.pid).children()
        child.kill()
        killed_at = time.monotonic()

        def has_ended() -> bool:
            tasks.sweep()
            time.sleep(0.5)
            return Launch.objects.get(pk=started.pk).status != Launch.Status.RUNNING

        wait_until(has_ended, "the launch has ended")
        seconds = time.monotonic() - killed_at
        assert Launch.objects.get(pk=started.pk).status == Launch.Status.LIMIT
        assert len(reserved()) == 1  # it still counts as spent, but is waited for no more
        # a new child needs a minute to start on a busy machine; the call hangs for five
        assert seconds < 2 * LEASE + 60
    finally:
        worker.end()


def test_an_upload_is_not_kept_waiting_while_all_calls_hang(project, launch, broker, tmp_path, hanging):
    def reply(request):
        hanging.wait(120)
        return json_reply(ANSWER)

    worker = processes.worker(tmp_path / "worker.log", broker, queues="work,files", EVALSITE_WORKERS="1")
    caller = processes.worker(
        tmp_path / "caller.log", broker, queues="calls", EVALSITE_PROVIDER_ALLOWED_HOSTS="127.0.0.1"
    )
    try:
        seconds_of_an_upload(project, "the first, which loads what imports need")
        idle = seconds_of_an_upload(project, "idle")
        launch(reply, budget=10**12)
        wait_until(reserved, f"calls hang\n{caller.output}")

        busy = seconds_of_an_upload(project, "busy")

        assert Chunk.objects.filter(state=Chunk.State.LEASED).exists()
        assert busy < 2 * idle + 2
    finally:
        worker.end()
        caller.end()


def seconds_of_an_upload(project, name: str) -> float:
    began = time.monotonic()
    content = factories.jsonl({"question": "q1", "answer": "1"}, {"question": "q2", "answer": "2"})
    upload = uploads.park(project, None, File(io.BytesIO(content.encode()), name="rows.jsonl"))
    dataset = imports.begin(upload, name, None)
    wait_until(lambda: Dataset.objects.get(pk=dataset.pk).status == "ready", f"{name} is imported")
    return time.monotonic() - began
