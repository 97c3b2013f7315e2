"""Faults that are staged on purpose, because random faults rarely hit these moments."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.processes import cookie

from . import undertaking
from .client import Client
from .conftest import Stage, vendor
from .site import LEASE, Site
from .test_faults import MINUTES, assert_ready, survives

pytestmark = [pytest.mark.processes, pytest.mark.faults]
OUTAGES = [30, 60 * MINUTES] if MINUTES else [30]  # seconds
only_postgresql = pytest.mark.skipif(
    vendor() != "postgresql",
    reason="with SQLite there is one machine, whose clock all processes share, and no server",
)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return request.node.name


@pytest.fixture
def one_worker(stage: Stage) -> Iterator[Stage]:
    """The site without a worker; tests start one of their own, which ends with the test."""
    stage.site.stop("worker")
    yield stage
    stage.site.stop("worker")


def a_run_that_is_scored(stage: Stage, name: str) -> int:
    """A run whose outputs are imported and whose scoring has begun."""
    run = undertaking.begin(stage.client, name, stage.evaluators)
    stage.client.wait_for(f"runs/{run}/", lambda run_state: run_state["status"] != "draft", 60)
    return run


def a_small_run(stage: Stage, name: str, size: int) -> dict:
    """Body of a request that starts a run of `size` examples."""
    dataset = stage.client.post("datasets/", {"name": name, "examples": [{"reference": "a"}] * size})["id"]
    body = {"name": name, "dataset": dataset, "evaluators": stage.evaluators}
    experiment = stage.client.post("experiments/", body)["id"]
    outputs = [{"position": n, "output": "b"} for n in range(1, size + 1)]
    return {"experiment": experiment, "variant": "v", "outputs": outputs}


# ---- workers


def test_a_busy_worker_survives_an_outage_of_redis(one_worker, name):
    """F8 and F9: no worker is restarted. One of its two processes is busy, so it waits for messages as well."""
    one_worker.site.start("worker", FAULTS_PAUSE="2")
    [worker] = one_worker.site.running["worker"]
    small_run_body = a_small_run(one_worker, name, 1)

    for _ in range(3):
        run = one_worker.client.post("runs/", small_run_body)["id"]
        one_worker.client.wait_for(f"runs/{run}/", lambda run_state: run_state["status"] == "running", 60)
        one_worker.site.stop_the_redis()
        # Redis must be away when the worker closes its connection; an outage that ends at once does no harm.
        time.sleep(1)
        one_worker.site.start_the_redis()
        undertaking.follow(one_worker.client, run, wait=60)

    assert worker.popen.poll() is None


def test_an_example_that_always_kills_its_worker_alone_gets_an_error(one_worker, name):
    """F3: all other examples are scored."""
    one_worker.site.start("worker", FAULTS_POISON="the answer is 7")  # The output of example 2.
    run = undertaking.begin(one_worker.client, name, one_worker.evaluators)

    undertaking.follow(one_worker.client, run, wait=300)

    rows = [json.loads(line) for line in one_worker.client.export(run, "jsonl").splitlines()]
    statuses = {row["position"]: row["scores"]["levenshtein"]["status"] for row in rows}
    assert [position for position, status in statuses.items() if status != "scored"] == [2]
    assert len(statuses) == undertaking.SIZE
    assert rows[1]["scores"]["levenshtein"]["message"].startswith("worker_lost: ")


def test_runs_that_kill_their_workers_hardly_delay_the_runs_of_others(one_worker, name):
    """Two runs whose outputs all kill the process, and beside them a small run, again and again."""
    site, client = one_worker.site, one_worker.client
    site.start("worker", FAULTS_DEADLY="deadly", FAULTS_PAUSE="0")
    small = a_small_run(one_worker, name, 100)
    idle = [scored_within(client, small | {"variant": f"idle {n}"}) for n in range(3)]
    deadly = a_small_run(one_worker, f"{name}, deadly", 20)
    deadly["outputs"] = [output | {"output": "deadly"} for output in deadly["outputs"]]
    poisoned = [client.post("runs/", deadly | {"variant": f"deadly {n}"})["id"] for n in range(2)]

    beside = [scored_within(client, small | {"variant": f"beside {n}"}) for n in range(6)]
    states = [client.get(f"runs/{run}/") for run in poisoned]

    assert max(beside) < 5 * max(idle) + 2 * LEASE, (idle, beside)
    assert all(state["progress"]["again"] for state in states if state["status"] == "running"), states
    for run in poisoned:
        undertaking.follow(client, run, wait=300)
    rows = [json.loads(line) for line in client.export(poisoned[0], "jsonl").splitlines()]
    assert all(row["scores"]["levenshtein"]["message"].startswith("worker_lost: ") for row in rows)


def scored_within(client: Client, body: dict) -> float:
    """The seconds until a new run is scored."""
    began = time.monotonic()
    undertaking.follow(client, client.post("runs/", body)["id"], wait=300)
    return time.monotonic() - began


def test_recovery_needs_no_sweeper(stage, chance, name):
    """F4: without a sweeper, workers sweep by themselves."""
    stage.site.stop("sweeper")

    survives(stage, chance, [Site.kill_the_workers, Site.flush_the_broker], name)


def test_without_any_sweep_lost_messages_are_noticed(one_worker, name):
    """A negative control: without a sweep after F7, the run must not end."""
    one_worker.site.stop("sweeper")
    one_worker.site.start(
        "worker", FAULTS_SWEEPS="0", FAULTS_PAUSE="1"
    )  # 24 chunks for two processes, so that the run is not done too early
    run = a_run_that_is_scored(one_worker, name)
    one_worker.site.stop("worker")
    one_worker.site.redis.private.client().flushall()
    one_worker.site.start("worker", FAULTS_SWEEPS="0")

    with pytest.raises(AssertionError, match="not within 20 s"):
        undertaking.follow(one_worker.client, run, wait=20)

    one_worker.site.repair()
    undertaking.follow(one_worker.client, run)


def test_a_write_that_clashes_is_tried_again(one_worker, name):
    """F13: every fourth write of scores fails as by a deadlock."""
    one_worker.site.start("worker", FAULTS_CLASHES="4")

    run = undertaking.undertake(one_worker.client, name, one_worker.evaluators)

    undertaking.assert_whole(one_worker.client, run)


@only_postgresql
@pytest.mark.parametrize("seconds", [600, -600, 3_600, -3_600])
def test_a_worker_whose_clock_is_wrong_changes_nothing(stage, chance, name, seconds):
    """F17: leases use the database's clock, so none is stolen and none waits too long."""
    stage.site.start("worker", FAULTS_CLOCK=str(seconds))

    survives(stage, chance, [Site.kill_a_child], name)

    assert f"wrong by {seconds} s" in stage.site.running["worker"][-1].output
    assert "was taken over" not in stage.site.running["worker"][-1].output
    stage.site.stop("worker")


def test_messages_that_come_long_after_the_end_change_nothing(stage, chance, name):
    """F14: three more deliveries of each message, after the end."""
    run = undertaking.undertake(stage.client, name, stage.evaluators)
    before = stage.client.get(f"runs/{run}/")

    stage.site.deliver_again(chance)
    time.sleep(2 * LEASE)

    assert stage.client.get(f"runs/{run}/") == before
    undertaking.assert_whole(stage.client, run)


# ---- the web


def test_a_start_that_was_cut_off_is_one_start(stage, chance, name):
    """F5: repeated with the same key, it starts the same run."""
    client, body = stage.client, {"name": name, "examples": [{"inputs": "q", "reference": "a"}]}
    dataset = client.post("datasets/", body)["id"]
    body = {"name": name, "dataset": dataset, "evaluators": stage.evaluators}
    experiment = client.post("experiments/", body)["id"]
    content = {"experiment": experiment, "variant": "v", "outputs": [{"position": 1, "output": "a"}]}
    for key in ("one", "two", "three"):
        headers = {"Idempotency-Key": f"{name} {key}"}
        with httpx2.Client(base_url=client.http.base_url, headers=client.http.headers) as cut_off:
            request = cut_off.build_request(
                "POST", "runs/", json=content, headers=headers, timeout=chance.uniform(0, 0.1)
            )
            with suppress(httpx2.TransportError):
                cut_off.send(request)
        stage.site.kill_the_web(chance)
        assert_ready(stage)
        answers = [client.once("POST", "runs/", json=content, headers=headers) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201]
        assert answers[0].json()["id"] == answers[1].json()["id"]

    assert len(client.get("runs/", experiment=experiment)["results"]) == 3


def test_an_export_that_was_cut_off_can_be_repeated(stage, chance, name):
    """F5: half a file is an error for its reader, and the repeated export is complete."""
    run = undertaking.undertake(stage.client, name, stage.evaluators)
    with pytest.raises(httpx2.TransportError):
        read_until_the_web_dies(stage, run)
    stage.site.repair()
    assert_ready(stage)

    undertaking.assert_whole(stage.client, run)


def read_until_the_web_dies(stage: Stage, run: int) -> None:
    with stage.client.http.stream("GET", f"runs/{run}/export/") as answer:
        for _ in answer.iter_raw(1_000):
            stage.site.stop("web")


# ---- Redis and the database unavailable


def test_a_run_started_without_redis_is_scored_when_it_is_back(stage, name):
    """I7: reads respond, a start is accepted at once, and work resumes by itself."""
    dataset = stage.client.upload("datasets/", undertaking.EXAMPLES, name=name, mapping=undertaking.COLUMNS)[
        "id"
    ]
    stage.client.wait_for(
        f"datasets/{dataset}/", lambda dataset_state: dataset_state["status"] == "ready", 60
    )
    body = {"name": name, "dataset": dataset, "evaluators": stage.evaluators}
    experiment = stage.client.post("experiments/", body)["id"]
    outputs = [{"key": f"k{n}", "output": output} for n, (_, output) in enumerate(undertaking.PAIRS)]
    stage.site.stop_the_redis()

    began = time.monotonic()
    content = {"experiment": experiment, "variant": "v1", "outputs": outputs[:100]}
    response = stage.client.once("POST", "runs/", json=content)
    seconds = time.monotonic() - began
    reads = [stage.client.once("GET", path).status_code for path in ("datasets/", "runs/", "evaluators/") * 5]
    stage.site.start_the_redis()

    assert response.status_code == 201
    assert seconds < 3  # a hint may wait two seconds at most
    assert set(reads) == {200}
    undertaking.follow(stage.client, response.json()["id"], wait=60)
    assert_ready(stage)


@only_postgresql
def test_the_site_recovers_when_the_database_is_back(stage):
    """I7: for clients, strangers and signed-in users, within ten seconds, without a restart."""
    person, stranger = (httpx2.Client(base_url=stage.client.address, trust_env=False) for _ in range(2))
    link = sign_in(person, stage.site)
    csrf = {"X-CSRFToken": cookie(stranger.get("/signin/").cookies, "csrf")}
    stage.site.postgresql.stop()
    answers = [stage.client.once("GET", path) for path in ("datasets/", "runs/", "evaluators/")]
    pages = [person.get(path) for path in ("/", "/signin/", "/readyz", "/nothing")]
    form = {"username": "admin", "password": "a wrong one"}
    pages += [
        stranger.post("/signin/", data=form, headers=csrf),
        stranger.get(link),
        stranger.get("/healthz"),
    ]
    still = stranger.get("/signin/").status_code
    stage.site.postgresql.start()

    assert {answer.json()["error"]["code"] for answer in answers} == {"database_unavailable"}
    assert {answer.status_code for answer in (*answers, *pages)} == {503}
    assert all(answer.headers["Retry-After"] for answer in (*answers, *pages))
    assert still == 200
    deadline = time.monotonic() + 10
    while (
        stage.client.once("GET", "datasets/").status_code != 200 or person.get("/account/").status_code != 200
    ):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert_ready(stage)


def sign_in(person: httpx2.Client, site: Site) -> str:
    """Sign in by a one-time link; returns its path, which is then used up."""
    link = urlsplit(site.manage(["signin_link"]).strip()).path
    person.get(link)
    assert person.post(link, headers={"X-CSRFToken": cookie(person.cookies, "csrf")}).status_code == 302
    return link


@pytest.mark.parametrize("seconds", OUTAGES)
def test_a_run_outlasts_an_outage_of_redis(one_worker, name, seconds):
    """F8, I7: pages are served all the time.

    The supervisor restarts processes that end by themselves, as the watchdog does.
    """
    one_worker.site.start("worker", FAULTS_PAUSE="1")
    run = a_run_that_is_scored(one_worker, name)
    one_worker.site.stop_the_redis()
    answers = answers_for(one_worker, f"runs/{run}/", seconds)
    one_worker.site.start_the_redis()

    assert set(answers) == {200}
    ends_whole(one_worker, run)


@only_postgresql
@pytest.mark.parametrize("seconds", OUTAGES)
def test_a_run_outlasts_an_outage_of_the_database(one_worker, name, seconds):
    """F12, I7: every answer says that the outage is temporary."""
    one_worker.site.start("worker", FAULTS_PAUSE="1")
    run = a_run_that_is_scored(one_worker, name)
    one_worker.site.postgresql.stop()
    answers = answers_for(one_worker, f"runs/{run}/", seconds)
    one_worker.site.postgresql.start()

    assert set(answers) == {503}
    ends_whole(one_worker, run)


def answers_for(stage: Stage, path: str, seconds: float) -> list[int]:
    """The statuses of repeated requests over this time."""
    answers, deadline = [], time.monotonic() + seconds
    while time.monotonic() < deadline:
        answers.append(stage.client.once("GET", path).status_code)
        stage.site.repair(["worker"])
        time.sleep(1)
    return answers


def ends_whole(stage: Stage, run: int) -> None:
    undertaking.follow(stage.client, run)
    undertaking.assert_whole(stage.client, run)
    assert_ready(stage)


# ---- users


@pytest.mark.parametrize("moment", range(2))
@pytest.mark.parametrize("after", [None, Site.kill_the_workers, Site.flush_the_broker, Site.deliver_again])
def test_a_cancel_at_a_random_moment_is_final(stage, chance, name, after, moment):
    """F23, I5: it responds at once, and nothing is stored afterwards."""
    run = a_run_that_is_scored(stage, name)
    time.sleep(chance.uniform(0, 0.5))
    began = time.monotonic()
    cancelled = stage.client.once("POST", f"runs/{run}/cancel/")
    seconds = time.monotonic() - began
    if cancelled.status_code == 409:
        pytest.skip("it was scored before it could be cancelled")

    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert seconds < 2
    before = stage.client.get(f"runs/{run}/"), stage.client.export(run, "jsonl")
    if after:
        after(stage.site, chance)
    time.sleep(3 * LEASE)
    assert_ready(stage)
    assert (stage.client.get(f"runs/{run}/"), stage.client.export(run, "jsonl")) == before


@pytest.mark.parametrize("noun", ["dataset", "experiment", "run", "evaluator"])
def test_a_delete_during_scoring_breaks_no_worker(stage, name, noun):
    """F24: the delete is refused, or the run ends; no worker fails repeatedly."""
    client = stage.client
    run = a_run_that_is_scored(stage, name)
    experiment = client.get(f"experiments/{client.get(f'runs/{run}/')['experiment']}/")
    paths = {
        "dataset": f"datasets/{experiment['dataset']}/",
        "experiment": f"experiments/{experiment['id']}/",
        "run": f"runs/{run}/",
        "evaluator": f"evaluators/{client.post('evaluators/', {'name': name, 'kind': 'contains'})['id']}/",
    }
    answer = client.once("DELETE", paths[noun])

    assert answer.status_code in (204, 409)
    if answer.status_code == 409:
        undertaking.follow(client, run)
        undertaking.assert_whole(client, run)
    elif noun != "evaluator":
        assert client.once("GET", f"runs/{run}/").status_code == 404
    time.sleep(2 * LEASE)
    assert_ready(stage)
    assert "Traceback" not in stage.site.running["worker"][-1].output


def test_a_small_run_does_not_wait_for_a_large_one(one_worker, name):
    """F25: it takes at most three times as long as alone."""
    site, client = one_worker.site, one_worker.client
    site.start("worker", FAULTS_PAUSE="0.5")
    small_run_body = a_small_run(one_worker, f"{name} small", 100)

    def small_run() -> float:
        began = time.monotonic()
        undertaking.follow(client, client.post("runs/", small_run_body)["id"])
        return time.monotonic() - began

    alone = min(small_run() for _ in range(3))
    large = a_run_that_is_scored(one_worker, name)
    with_large_run = small_run()
    assert client.get(f"runs/{large}/")["status"] == "running", "the large run was too short to be in the way"

    assert with_large_run < 3 * max(alone, 1)


# ---- copies


def test_a_backup_made_during_a_run_goes_on_elsewhere_to_the_same_end(stage, name):
    """F26: on a separate database, Redis and data folder."""
    run = a_run_that_is_scored(stage, name)
    file = stage.site.folder / f"{name[:20]}.tar"
    stage.site.manage(["backup", str(file)])
    second_site = Site(vendor())
    try:
        second_site.manage(["restore", str(file)])
        client = second_site.client(stage.client.http.headers["Authorization"].removeprefix("Bearer "))
        undertaking.follow(client, run)
        undertaking.assert_whole(client, run)
    finally:
        second_site.end()
    undertaking.follow(stage.client, run)
