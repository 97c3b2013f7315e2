"""Polling until work has ended."""

import itertools

import pytest

from evalsite_client.errors import TimedOut
from evalsite_client.waiting import has_succeeded, until_ended


def states(*names, **more):
    """A `read` that returns these states, and then the last one for ever."""
    jobs = [{"id": 7, "status": name} | more for name in names]
    endless = itertools.chain(jobs, itertools.repeat(jobs[-1]))
    return lambda: next(endless)


def wait(read, kind="run", timeout=None):
    now = [0.0]
    states_seen, pauses = [], []

    def sleep(seconds):
        pauses.append(seconds)
        now[0] += seconds

    job = until_ended(
        read,
        kind,
        timeout=timeout,
        on_state=lambda state: states_seen.append(state["status"]),
        sleep=sleep,
        clock=lambda: now[0],
    )
    return job, states_seen, pauses


def test_every_state_is_seen_until_the_last():
    job, states_seen, pauses = wait(states("draft", "queued", "running", "completed"))

    assert job["status"] == "completed"
    assert states_seen == ["draft", "queued", "running", "completed"]
    assert len(pauses) == 3


def test_a_long_wait_asks_rarely():
    _, _, pauses = wait(states(*["running"] * 30, "completed"))

    assert pauses[0] < 0.5
    assert pauses[-1] == 5.0


def test_a_timeout_names_the_unfinished_work():
    with pytest.raises(TimedOut, match="run 7 is still running"):
        wait(states("running"), timeout=60)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_other_ends_are_no_success(status):
    job, _, _ = wait(states(status))

    assert not has_succeeded("run", job)


@pytest.mark.parametrize(
    ("done", "total", "goes_on"), [(39, 2_000, True), (40, 2_000, False), (30, 30, False)]
)
def test_a_pilot_ends_with_its_last_answer(done, total, goes_on):
    """Two runs are asked 20 examples each; then the launch waits to be continued."""
    tried = states("estimating", runs=[1, 2], progress={"done": done, "total": total})

    if goes_on:
        with pytest.raises(TimedOut):
            wait(tried, "launch", timeout=60)
    else:
        assert has_succeeded("launch", wait(tried, "launch")[0])
