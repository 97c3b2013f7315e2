"""Launches by the API: estimates, pilots, and retries of failed answers."""

import numpy as np
import pytest
from django.utils import timezone

from evaluations.datasets import bitmaps
from evaluations.engine import queue
from evaluations.launches import ending, launches, order, stopping
from evaluations.launches.following import Follower
from evaluations.models import Answer, AuditEntry, Experiment, Job, Launch, Output, Run
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.scoring import scoring
from tests import factories

PRICE = 1_000_000  # one unit of the currency per million tokens


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project, references=["Paris"] * 30)


@pytest.fixture
def prompt(project, settings):
    server = factories.connection(project, settings)
    prices.set_price(server, "m", PRICE, PRICE, None, timezone.now().date())
    messages = [{"role": "user", "content": "{{ question }}"}]
    return prompts.create(
        project, None, "p", Content(messages, "m", {"max_completion_tokens": 10}, connection=server)
    )


@pytest.fixture
def body(experiment, prompt) -> dict:
    return {"experiment": experiment.pk, "variants": [{"prompt": prompt.pk}]}


def answer_all(run: Run, text: str | None = "Paris", error: str | None = None) -> None:
    """Store answers as workers would, without a server."""
    for job in Job.objects.filter(run=run, lane__startswith=Job.GENERATE, state=Job.State.OPEN):
        chunk_totals = [chunk.total for chunk in job.chunks.all()]
        answered_positions = set(run.outputs.values_list("position", flat=True))
        positions = [n for n in range(1, 31) if n not in answered_positions][: sum(chunk_totals)]
        Output.objects.bulk_create(
            Output(run=run, position=n, text=text, error=error, latency_ms=500) for n in positions
        )
        Answer.objects.bulk_create(
            Answer(run=run, position=n, tokens_in=10, tokens_out=4, cost=14 * 10**6) for n in positions
        )
        job.chunks.update(state="done")
        ending.finish(job)
    while scoring.work(seconds=10):
        pass


def test_an_estimate_has_the_cost_of_a_pilot(runner, body):
    response = runner.post("launches/", body | {"estimate_only": True})

    estimate = response.json()["estimate"]
    assert response.status_code == 200
    assert (estimate["calls"], estimate["answers"]) == ({"low": 30, "high": 30}, 0)
    assert (estimate["tokens_out"]["high"], estimate["trial"]["calls"]) == (300, 20)
    assert 0 < float(estimate["trial"]["cost"]) < float(estimate["cost"]["high"])


def test_an_estimate_stores_nothing(runner, body):
    runner.post("launches/", body | {"estimate_only": True})

    assert not Launch.objects.exists()
    assert not AuditEntry.objects.filter(action="launch-create").exists()


def test_a_pilot_asks_its_examples_in_every_repetition(runner, body):
    response = runner.post("launches/", body | {"estimate_only": True, "repetitions": 3})

    estimate = response.json()["estimate"]
    assert (estimate["calls"]["high"], estimate["trial"]["calls"]) == (90, 60)


def test_an_estimate_refuses_like_a_launch(runner, body):
    refused = body | {"estimate_only": True, "sample": {"size": 31}}

    assert runner.post("launches/", refused).json()["error"]["code"] == "invalid_launch"


def test_a_pilot_asks_twenty_waits_and_is_not_paid_twice(runner, body):
    launch = runner.post("launches/", body | {"trial": True}).json()
    run = Run.objects.get()
    answer_all(run)

    waiting = runner.get(f"launches/{launch['id']}/").json()
    assert (waiting["status"], waiting["progress"]) == ("estimating", {"done": 20, "total": 30})
    assert waiting["finished_at"] is None
    assert (waiting["estimate"]["answers"], waiting["estimate"]["calls"]["low"]) == (20, 10)
    assert waiting["estimate"]["tokens_in"] == {"low": 100, "high": 100}
    assert waiting["estimate"]["cost"]["high"] == "0.00014"

    runner.post(f"launches/{launch['id']}/continue/", {})
    [job] = Job.objects.filter(run=run, state=Job.State.OPEN)
    assert job.total == 10
    answer_all(run)

    run.refresh_from_db()
    assert (run.status, run.output_count) == ("completed", 30)
    assert run.scorings.get().summary["counts"]["total"] == 30
    ended = runner.get(f"launches/{launch['id']}/").json()["finished_at"]
    assert ended is not None
    assert ended == runner.get(f"runs/{run.pk}/").json()["finished_at"]


def test_a_pilot_that_is_still_asked_cannot_be_continued(runner, body):
    launch = runner.post("launches/", body | {"trial": True}).json()

    response = runner.post(f"launches/{launch['id']}/continue/", {})

    assert response.json()["error"]["code"] == "launch_not_stopped"


def test_failed_answers_are_asked_again_and_the_run_is_scored_anew(runner, body):
    runner.post("launches/", body)
    run = Run.objects.get()
    answer_all(run)
    Output.objects.filter(run=run, position__lte=3).update(text=None, error="timeout: late")
    before = run.scorings.get().job_id

    response = runner.post(f"runs/{run.pk}/retry/")

    assert (response.status_code, response.json()["status"]) == (202, "generating")
    assert Job.objects.get(run=run, state=Job.State.OPEN).total == 3
    answer_all(run)
    run.refresh_from_db()
    assert (run.status, run.output_count, run.outputs.filter(error__isnull=False).count()) == (
        "completed",
        30,
        0,
    )
    assert run.revision > 0
    assert run.scorings.get().job_id != before
    assert run.scorings.get().summary["counts"]["scored"] == 30


def test_failed_answers_with_one_cause_are_asked_again_alone(runner, body):
    runner.post("launches/", body)
    run = Run.objects.get()
    answer_all(run)
    Output.objects.filter(run=run, position__lte=3).update(text=None, error="timeout: late")
    Output.objects.filter(run=run, position__in=[4, 5]).update(text=None, error="cut")

    refused = runner.post(f"runs/{run.pk}/retry/", {"cause": "empty"}).json()["error"]
    assert (refused["code"], refused["message"]) == (
        "nothing_to_retry",
        "No answer of this run failed with the cause empty.",
    )
    runner.post(f"runs/{run.pk}/retry/", {"cause": "timeout"})

    assert Job.objects.get(run=run, state=Job.State.OPEN).total == 3
    assert list(run.outputs.filter(error__isnull=False).values_list("position", flat=True)) == [4, 5]


@pytest.mark.parametrize(
    ("state", "code"), [("completed", "nothing_to_retry"), ("cancelled", "run_not_completed")]
)
def test_a_retry_of_an_answered_or_cancelled_run_is_refused(runner, body, state, code):
    launch = runner.post("launches/", body).json()
    run = Run.objects.get()
    if state == "cancelled":
        launches.cancel(Launch.objects.get(pk=launch["id"]))
    else:
        answer_all(run)

    assert runner.post(f"runs/{run.pk}/retry/").json()["error"]["code"] == code


def test_a_run_that_no_launch_made_has_nothing_to_ask(runner, experiment):
    run = factories.run(experiment)

    assert runner.post(f"runs/{run.pk}/retry/").json()["error"]["code"] == "run_not_generated"


def test_a_retry_that_was_cancelled_is_continued_by_its_launch(runner, body):
    launch = runner.post("launches/", body).json()
    run = Run.objects.get()
    answer_all(run)
    Output.objects.filter(run=run, position=1).update(text=None, error="cut")
    runner.post(f"runs/{run.pk}/retry/")
    runner.post(f"launches/{launch['id']}/cancel/")

    assert runner.post(f"runs/{run.pk}/resume/").json()["error"]["code"] == "run_not_generated"
    runner.post(f"launches/{launch['id']}/continue/", {})
    answer_all(run)

    run.refresh_from_db()
    assert (run.status, run.output_count) == ("completed", 30)
    assert not queue.claimable_jobs(Job.GENERATE).exists()


# ---- stopping early ----------------------------------------------------------------------------------------


@pytest.fixture
def two(body) -> dict:
    """Two variants of one prompt that stop early."""
    [first] = body["variants"]
    variants = [first | {"name": "old"}, first | {"name": "new"}]
    return body | {"variants": variants, "stop": {"when": "decided", "margin": 0.1}}


def test_a_run_that_stopped_early_says_of_how_many_examples(runner, two):
    stopped, whole = runner.post("launches/", two).json()["runs"]
    Run.objects.filter(pk=stopped).update(asked_rows=bitmaps.packed(np.arange(1, 11)))

    shown = [runner.get(f"runs/{run}/").json() for run in (stopped, whole)]

    assert [(run["asked_examples"], run["stopped_early_of"]) for run in shown] == [(10, 30), (None, None)]


def test_a_launch_that_stops_early_says_so_and_has_its_looks(runner, two):
    launch = runner.post("launches/", two).json()
    new = Run.objects.get(variant="new")
    for run in Run.objects.all():
        answer_all(run, "Paris" if run == new else "Rome")

    shown = runner.get(f"launches/{launch['id']}/").json()

    assert (shown["stop"], shown["status"]) == ({"when": "decided", "margin": 0.1}, "completed")
    [look] = shown["sequence"]
    assert (look["run"], look["n"], look["outcome"]) == (new.pk, 30, "better")
    assert 0 < look["low"] < look["high"] <= 1
    assert runner.get("launches/").json()["results"][0]["sequence"] == []


def test_a_launch_that_asks_everything_has_no_looks(runner, body):
    launch = runner.post("launches/", body | {"stop": {"when": "all"}}).json()

    assert (launch["stop"], launch["sequence"]) == ({"when": "all", "margin": None}, [])


@pytest.mark.parametrize(
    "stop",
    [
        {"when": "decided"},
        {"when": "decided", "margin": 0},
        {"when": "soon"},
        {"when": "decided", "margin": 2},
    ],
)
@pytest.mark.parametrize("estimate_only", [False, True])
def test_a_stop_that_cannot_be_is_refused(runner, two, stop, estimate_only):
    response = runner.post("launches/", two | {"stop": stop, "estimate_only": estimate_only})

    assert response.status_code == 400
    assert any(name.startswith("stop") for name in response.json()["error"]["fields"])
    assert not Launch.objects.exists()


def test_an_estimate_has_the_detectable_difference(runner, two):
    response = runner.post("launches/", two | {"estimate_only": True})

    detects = response.json()["estimate"]["detects"]
    assert (detects["margin"], detects["pairs"], detects["equivalence"]) == (0.1, 0, False)
    assert 0 < detects["chance"] < 0.8
    assert detects["smallest"] > 0.1


def test_after_a_pilot_the_estimate_rests_on_its_scores(runner, two):
    launch = runner.post("launches/", two | {"trial": True}).json()
    for run in Run.objects.all():
        positions = order.positions(run.generation.launch)[:20].tolist()
        Output.objects.bulk_create(Output(run=run, position=position, text="Paris") for position in positions)

    stopping.catch_up(Follower(Launch.objects.get()))

    detects = runner.get(f"launches/{launch['id']}/").json()["estimate"]["detects"]
    assert detects["pairs"] == 20
    assert detects["spread"] == pytest.approx((1 / 21) ** 0.5)
