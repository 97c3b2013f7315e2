"""`Client.evaluate`: any function over the examples of a dataset, once each, whatever stops in between."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection

from evalsite_client import Client, Mistaken, Output, Refused, scorer
from evalsite_client.journal import Journal, folder
from evaluations.access import api_keys
from evaluations.experiments import experiments
from evaluations.models import Output as StoredOutput
from evaluations.models import Run, Scoring
from evaluations.scoring import scoring
from tests import factories, processes

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def dataset(project):
    return factories.dataset(project, [f"city {n}" for n in range(1, 41)])


@pytest.fixture
def site(live_server, key, dataset):
    with Client(live_server.url, key) as client:
        yield client


def outputs_of(run: int) -> dict[int, str | None]:
    return dict(StoredOutput.objects.filter(run=run).values_list("position", "text"))


def answer(example):
    return f"city {example.key[1:]}"


def means_of(run: int) -> dict[str, tuple[float, int]]:
    scorings = Scoring.objects.filter(run=run).select_related("evaluator_version__evaluator")
    return {
        scoring.evaluator_version.evaluator.name: (scoring.summary["mean"], scoring.summary["n"])
        for scoring in scorings
    }


def test_a_function_is_run_over_a_dataset_and_scored_by_both_sides(site, worker):
    @scorer(minimum=0, maximum=1)
    def is_short(output, expected):
        return len(output) <= 6

    done = site.evaluate(
        "capitals", answer, [is_short, "exact_match"], variant="agent 1", about={"commit": "8f9"}
    )

    [run] = done.runs
    assert (run["status"], run["output_count"], done.errors) == ("completed", 40, 0)
    assert done.means() == {"Exact match": 1.0, "is_short": 9 / 40}
    assert site.experiment("capitals")["runs"][0]["about"]["commit"] == "8f9"
    assert not list((folder() / "evaluations").iterdir())


def test_a_run_key_is_enough_where_dataset_and_evaluator_exist(live_server, dataset, project, alice):
    factories.evaluator(project, "exact_match", "Exact match")
    _, run_key = api_keys.create_key(project, alice, "pipeline", "run")

    with Client(live_server.url, run_key) as client:
        [made] = client.evaluate(
            "capitals", answer, [scorer(len), "exact_match"], variant="a", wait=False
        ).runs
        [again] = client.evaluate("capitals", answer, ["exact_match"], variant="b", wait=False).runs
        with pytest.raises(Mistaken, match=r"no evaluator .* yet, and this key cannot create it"):
            client.evaluate("capitals", answer, ["levenshtein_distance"], variant="c", wait=False)

    assert made["experiment"] == again["experiment"]
    assert [run["output_count"] for run in (made, again)] == [40, 40]


def test_exceptions_are_errors_of_outputs_and_of_scores(site, capfd):
    def fails_on_odd(example):
        if example.position % 2:
            raise ConnectionError("the tool is away")
        return Output("city 2", tokens=5)

    @scorer
    def fails_on_four(output, example):
        return {4: 1 / 0}[4] if example.position == 4 else 1

    done = site.evaluate("capitals", fails_on_odd, [fails_on_four], variant="agent", wait=False)
    while scoring.work(seconds=5):
        pass

    run = done.runs[0]["id"]
    rows = {row["position"]: row for row in site.results(run)}
    assert rows[1]["output_error"] == "ConnectionError: the tool is away"
    assert rows[2]["output"] == "city 2"
    assert "division by zero" in rows[4]["scores"]["fails_on_four"]["message"]
    assert rows[6]["scores"]["fails_on_four"]["value"] == 1
    stored = StoredOutput.objects.get(run=run, position=2)
    assert (stored.tokens, stored.latency_ms is not None) == (5, True)
    assert "the tool is away" in capfd.readouterr().err


def test_repetitions_are_runs_of_one_variant(site):
    done = site.evaluate("capitals", answer, variant="agent", repetitions=3, wait=False)

    assert len({run["id"] for run in done.runs}) == 3
    assert len({json.dumps(run["about"]) for run in done.runs}) == 1
    assert [run["output_count"] for run in done.runs] == [40] * 3


def test_async_tasks_overlap_and_run_on_the_callers_loop(site):
    loops, under_way, most = set(), 0, 0

    async def slow(input):
        nonlocal under_way, most
        loops.add(asyncio.get_running_loop())
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        return input

    async def main():
        loops.add(asyncio.get_running_loop())
        return await site.evaluate_async("capitals", slow, variant="async", concurrency=10, wait=False)

    with ThreadPoolExecutor(1) as thread:  # a browser of an earlier test has a loop in this one
        done = thread.submit(lambda: asyncio.run(main())).result()

    assert (done.runs[0]["output_count"], len(loops)) == (40, 1)
    assert 5 < most <= 10


class Interrupted(BaseException):
    """As if somebody pressed Ctrl-C, but in a task."""


def test_a_restart_asks_only_for_what_is_missing(site):
    asked: Counter[int] = Counter()
    stop_at = 15

    def counting(example):
        if len(asked) == stop_at:
            raise Interrupted
        asked[example.position] += 1
        return answer(example)

    for _ in range(2):
        with pytest.raises(Interrupted):
            site.evaluate("capitals", counting, variant="agent", repetitions=1, concurrency=1, wait=False)
        stop_at += 10
    stop_at = 99
    done = site.evaluate("capitals", counting, variant="agent", concurrency=1, wait=False)

    assert set(asked.values()) == {1}
    assert len(outputs_of(done.runs[0]["id"])) == 40
    assert Run.objects.count() == 1


def test_a_restart_without_the_journal_reads_the_draft(site, monkeypatch, tmp_path):
    asked: Counter[int] = Counter()
    is_stopped = True

    def counting(example):
        if is_stopped and len(asked) == 20:
            time.sleep(1.5)  # until a batch has left
            raise Interrupted
        asked[example.position] += 1
        return answer(example)

    with pytest.raises(Interrupted):
        site.evaluate("capitals", counting, variant="agent", concurrency=1, wait=False)
    is_stopped = False
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    site.evaluate("capitals", counting, variant="agent", wait=False)

    assert set(asked.values()) == {1}
    assert Run.objects.count() == 1


def test_an_answer_under_way_when_the_site_refuses_is_kept(site):
    asked: Counter[int] = Counter()

    def sending():
        return any(thread.name == "evalsite-sender" and thread.is_alive() for thread in threading.enumerate())

    def paid(example):
        asked[example.position] += 1
        if example.position == 1 and asked.total() < 5:
            Run.objects.update(status=Run.Status.CANCELLED)
            connection.close()
        if example.position == 2:
            deadline = time.monotonic() + 60
            while sending() and time.monotonic() < deadline:
                time.sleep(0.1)
            time.sleep(0.5)  # until the evaluation has ended, if it does not wait
        return answer(example)

    with pytest.raises(Refused, match="cancelled"):
        site.evaluate("capitals", paid, variant="agent", concurrency=2, wait=False)
    Run.objects.update(status=Run.Status.DRAFT)
    done = site.evaluate("capitals", paid, variant="agent", wait=False)

    assert set(asked.values()) == {1}
    assert len(outputs_of(done.runs[0]["id"])) == 40


def test_changed_code_does_not_go_on_with_the_answers_of_the_old(site):
    def stops(example):
        raise Interrupted

    with pytest.raises(Interrupted):
        site.evaluate("capitals", stops, variant="agent", wait=False)
    done = site.evaluate("capitals", answer, variant="agent", wait=False)

    assert Run.objects.count() == 2
    assert done.runs[0]["output_count"] == 40


def test_two_processes_do_not_share_a_variant(site):
    def evaluates_too(example):
        site.evaluate("capitals", evaluates_too, variant="agent", wait=False)

    done = site.evaluate("capitals", evaluates_too, variant="agent", concurrency=1, wait=False)

    rows = list(site.results(done.runs[0]["id"], page_size=1000))
    assert {row["output_error"].partition(":")[0] for row in rows} == {"Mistaken"}


def test_an_output_that_the_site_refuses_loses_no_other(site):
    bad = {7: "a\x00b", 9: "\ud800"}
    done = site.evaluate(
        "capitals", lambda example: bad.get(example.position, "short"), variant="agent", wait=False
    )

    rows = {row["position"]: row for row in site.results(done.runs[0]["id"])}
    assert rows[7]["output_error"].startswith("The site refused this output")
    assert rows[9]["output_error"].startswith("UnicodeEncodeError")
    assert [row["output"] for position, row in rows.items() if position not in bad] == ["short"] * 38


def test_an_old_run_is_scored_by_a_function(site, project):
    experiment = experiments.create(project, None, "old", factories.dataset(project, name="old"))
    run = factories.run(experiment, ["Paris", "Lyon", None])

    @scorer(minimum=0)
    async def length(output, expected):
        return {"score": len(output), "comment": expected}

    site.score(run.pk, length)
    scored_again = site.score(run.pk, [length])

    assert means_of(run.pk) == {"length": (4.5, 2)}
    assert [scoring["evaluator"]["name"] for scoring in scored_again["scorings"]] == ["length"]
    assert site.explain(run.pk, 2)["scores"]["length"]["value"] == 4


def first_length(output):
    return len(output)


def other_length(output):
    return len(output.strip())


def test_other_code_of_a_scorer_is_another_version_and_the_baseline_can_be_scored_too(site, worker, capfd):
    site.evaluate("capitals", answer, [scorer(name="length")(first_length)], variant="agent 1")
    assert "score it too" not in capfd.readouterr().err

    site.evaluate("capitals", answer, [scorer(name="length")(other_length)], variant="agent 2")

    baseline = Run.objects.get(variant="agent 1")
    said = capfd.readouterr().err
    assert f"evalsite score {baseline.pk} --scorer tests.client.test_evaluate:other_length" in said
    site.score(baseline.pk, scorer(name="length")(other_length))
    numbers = Scoring.objects.filter(run=baseline).values_list("evaluator_version__number", flat=True)
    assert sorted(numbers) == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("capitals", "not a function"), {}),
        (("capitals", answer), {"repetitions": 0}),
        (("capitals", answer, [lambda output: 1, lambda output: 2]), {}),
        (("nowhere", answer), {}),
        (("capitals", answer, ["no such evaluator"]), {}),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_any_call(site, arguments, options):
    with pytest.raises(Mistaken):
        site.evaluate(*arguments, variant="agent", **options)

    assert not Run.objects.exists()


TASK = """
import os, pathlib, time
def task(example):
    with open(os.environ["PAID"], "a") as paid:
        paid.write(f"{example.position}\\n")
    time.sleep(0.05)
    return f"city {example.key[1:]}"
def length(output):
    return len(output)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT], ids=["killed", "Ctrl-C"])
def test_a_stopped_client_loses_no_answer_and_pays_for_none_twice(site, shell, worker, tmp_path, sent):
    (tmp_path / "agent.py").write_text(TASK)
    paid = tmp_path / "paid"
    options = "--dataset capitals --scorer agent:length --scorer exact_match --variant killed --concurrency 1"
    command = [sys.executable, "-m", "evalsite_client", "evaluate", "agent:task", *options.split()]
    env = os.environ | shell | {"PAID": str(paid), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    # a program that a shell runs in the background inherits that Ctrl-C is ignored
    heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    first = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, preexec_fn=heeding)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not paid.exists() or len(paid.read_text().split()) < 12):
        time.sleep(0.01)
    os.kill(first.pid, sent)
    said = first.communicate(timeout=60)[1].decode()

    again = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)

    assert again.returncode == 0, again.stderr
    counts = Counter(paid.read_text().split())
    assert len(counts) == 40
    # Only the call under way when the process was killed can be paid for twice: nobody has its answer.
    assert counts.total() <= (41 if sent == signal.SIGKILL else 40)
    assert sent == signal.SIGKILL or (first.returncode, "Run the same again" in said) == (130, True)
    [run] = Run.objects.all()
    assert run.status == "completed"
    assert means_of(run.pk)["Exact match"] == (1.0, 40)
    assert means_of(run.pk)["length"][1] == 40
    assert "Resuming" in again.stderr


def test_killed_web_and_worker_lose_nothing_and_repeat_nothing(
    project, dataset, key, broker, tmp_path, unused_port
):
    asked: Counter[int] = Counter()

    def slow(example):
        asked[example.position] += 1
        time.sleep(0.2)
        return answer(example)

    @scorer(minimum=0)
    def length(output):
        return len(output)

    def start(number):
        web = processes.web(tmp_path / f"web {number}.log", unused_port)
        return [web, processes.worker(tmp_path / f"worker {number}.log", broker)]

    running = start(1)
    done = []
    with Client(f"http://127.0.0.1:{unused_port}", key) as site:
        options = {"variant": "agent", "concurrency": 4}
        scorers = [length, "exact_match"]
        evaluating = threading.Thread(
            target=lambda: done.append(site.evaluate("capitals", slow, scorers, **options))
        )
        evaluating.start()
        try:
            processes.wait_until(lambda: len(asked) > 12, "some answers")
            for process in running:
                process.end()
            time.sleep(1.5)
            running = start(2)
            evaluating.join(120)
        finally:
            for process in running:
                process.end()

    [evaluation] = done
    assert (set(asked.values()), len(asked)) == ({1}, 40)
    assert means_of(evaluation.runs[0]["id"])["Exact match"] == (1.0, 40)
    assert means_of(evaluation.runs[0]["id"])["length"][1] == 40


def test_a_journal_passes_over_a_line_that_was_cut(tmp_path):
    journal = Journal("a")
    journal.append({"run": 1})
    journal.file.write('{"of": 1, "outp')
    journal.file.flush()
    journal.close()

    journal = Journal("a")
    journal.begin()
    journal.append({"run": 2})

    assert list(journal.entries()) == [{"run": 1}, {"run": 2}]
    assert oct(journal.path.stat().st_mode)[-3:] == "600"
    journal.close(remove=True)
