"""The page with workers and queue for site administrators."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluations.access import projects
from evaluations.engine import consumption
from evaluations.experiments import experiments, runs
from evaluations.launches import states
from evaluations.models import Chunk, Dataset, Job, Pulse, Run, ServerLimit
from evaluations.process_cache import ProcessCache
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15
KINDS = ("exact_match", "levenshtein_similarity", "rouge_l", "token_f1")


@pytest.fixture
def get_page(client):
    """The page as one line of text, for the site administrator."""
    client.force_login(User.objects.create_superuser("root"))

    def get() -> str:
        answer = client.get("/workers/")
        assert answer.status_code == 200
        return text_of(answer)

    return get


def test_only_administrators_of_the_site_see_the_workers(client, alice):
    client.force_login(alice)

    assert client.get("/workers/").status_code == 403


def test_an_idle_site_says_that_nothing_waits(get_page):
    Pulse.objects.create(name="sweep", at=timezone.now())

    words = get_page()

    assert "Queue empty" in words
    assert "No worker is running" not in words


def test_a_worker_that_reports_itself_no_longer_is_named(get_page):
    Pulse.objects.create(name="worker@one", at=timezone.now() - timedelta(minutes=1))
    Pulse.objects.create(name="worker@two", at=timezone.now() - timedelta(minutes=5))

    words = get_page()

    assert re.search("worker@one [^:]+ worker@two [^:]+: missing", words)


def test_the_caches_of_the_process_are_shown_with_their_budget(get_page):
    cache = ProcessCache[str, bytes]("kept pages", 10)
    cache.put("a", bytes(3_000_000))
    words = get_page()

    assert re.search(r"of 200\.0\sMB", words)
    assert re.search(r"Kept pages 1 3\.0\sMB", words)


def test_a_site_without_workers_says_so(get_page):
    assert "Workers are missing" in get_page()


def test_a_waiting_run_is_named_with_its_chunks_and_age(get_page, project):
    factories.run(factories.experiment(project), variant="shorter prompt")
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=12))
    Chunk.objects.update(attempt=2)

    words = get_page()

    assert "Oldest job: 12 min ago" in words
    assert re.search(r"shorter prompt which is closer 0 of 3 0 1 1 12 min ago", words)


def test_the_rate_counts_the_scored_runs_of_the_last_hour(get_page, project):
    factories.scored_run(factories.experiment(project))
    now = timezone.now()
    Job.objects.update(started_at=now - timedelta(seconds=2), finished_at=now)

    assert "1.5 examples per second in the last hour" in get_page()


def test_a_scored_run_names_its_evaluators_and_twenty_stand_before_a_fold(get_page, project):
    experiment = factories.experiment(project)
    run = factories.scored_run(experiment)
    now = timezone.now()
    Job.objects.bulk_create(Job(project=project, run=run, state="done", total=n) for n in range(20))
    Job.objects.update(started_at=now - timedelta(seconds=2), finished_at=now)

    words = get_page()

    assert str(run.scorings.get().evaluator_version.evaluator) in words
    assert "1 more run" in words


def test_runs_of_one_experiment_are_one_line_wherever_they_stand_and_a_series_is_one(get_page, project):
    first = factories.experiment(project)
    exact = first.primary
    others = [
        experiments.create(project, None, name, first.dataset, [exact])
        for name in ("other", "Night 1", "Night 2", "Night 3")
    ]
    for experiment in (first, *others) * 2:
        factories.scored_run(experiment, variant=f"run {experiment.runs.count()}")
    now = timezone.now()
    Job.objects.update(started_at=now - timedelta(seconds=1), finished_at=now)

    words = get_page()

    assert f"{first.name} 2 runs" in words
    assert "other 2 runs" in words
    assert "Night 1 to 3 6 runs" in words


def test_the_project_is_named_where_there_are_several(get_page, project, alice):
    factories.scored_run(factories.experiment(project))
    now = timezone.now()
    Job.objects.update(started_at=now - timedelta(seconds=2), finished_at=now)

    alone = get_page()
    projects.create("Second", alice)

    assert "For Examples" in alone
    assert "For Project Examples" in get_page()


def test_neighbouring_runs_of_one_experiment_are_one_line_and_many_evaluators_are_counted(get_page, project):
    experiment = factories.experiment(project, *KINDS)
    for name in ("one", "two", "three"):
        factories.scored_run(experiment, variant=name)
    now = timezone.now()
    for seconds, job in enumerate(Job.objects.order_by("pk"), 1):
        Job.objects.filter(pk=job.pk).update(started_at=now - timedelta(seconds=seconds), finished_at=now)

    words = get_page()

    assert f"{experiment.name} 3 runs 4 evaluators" in words
    assert "3 each 1.0 s to 3.0 s" in words


def test_a_site_in_order_says_so_in_words(get_page):
    Pulse.objects.create(name="sweep", at=timezone.now())

    assert "All is well" in get_page()


def test_work_that_waits_for_long_is_not_well(get_page, project):
    Pulse.objects.create(name="sweep", at=timezone.now())
    factories.run(factories.experiment(project))
    assert "All is well" in get_page()

    Job.objects.update(created_at=timezone.now() - timedelta(minutes=3))

    assert "Jobs wait, and none of them runs" in get_page()
    assert "All is well" not in get_page()


def test_a_launch_that_ended_early_is_named_with_the_count_of_today(get_page, monkeypatch, project):
    """Answers arrive after the end of a launch, so the stored sentence counts too few."""
    run = factories.run(factories.experiment(project))
    Run.objects.update(status=Run.Status.FAILED, error={"code": "too_many_failures", "message": "31 of 60"})
    counted = {"code": "too_many_failures", "message": "60 of 120"}
    monkeypatch.setattr(states, "errors", lambda runs: {one.pk: counted for one in runs})

    page = get_page()

    assert run.variant in page
    assert "60 of 120" in page
    assert "31 of 60" not in page


def test_a_failed_file_is_named_with_its_reason(get_page, project):
    factories.imported(project, "{\n", name="broken answers")

    assert re.search(r"broken answers .*[Ll]ine 1.* just now", get_page())


def test_a_cause_that_several_runs_share_is_written_once(get_page, project):
    experiment = factories.experiment(project)
    for name in ("old", "new"):
        run = factories.run(experiment, variant=name)
        Run.objects.filter(pk=run.pk).update(
            status="failed", error={"code": "x", "message": "No such server."}
        )

    page = get_page()

    assert (page.count("No such server."), page.count("as above")) == (1, 1)


def test_the_latest_error_comes_first_whether_of_a_file_or_of_a_run(get_page, project):
    factories.imported(project, "{\n", name="broken answers")
    Dataset.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    run = factories.run(factories.experiment(project), variant="long prompt")
    for minutes, name in ((2, "after the file"), (9, "before the file")):
        error = {"code": "too_many_failures", "message": f"It failed, {name}."}
        at = timezone.now() - timedelta(minutes=minutes)
        Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED, error=error, finished_at=at)
        errors = get_page().partition("Last errors")[2]
        is_first = errors.index("It failed") < errors.index("broken answers")
        assert is_first is (minutes == 2), name


def test_runs_of_the_hour_that_are_not_listed_are_counted(get_page, monkeypatch, project):
    monkeypatch.setattr(consumption, "MOST_ENDED", 2)
    experiment = factories.experiment(project)
    for n in range(5):
        factories.scored_run(experiment, variant=f"v{n}")

    assert "and 3 runs before them" in get_page()


def test_many_runs_cost_no_more_queries(get_page, project, django_assert_max_num_queries):
    experiment = factories.experiment(project)
    for n in range(5):
        runs.create(experiment, None, f"v{n}", [])

    with django_assert_max_num_queries(MOST_QUERIES):
        get_page()


def test_examples_that_wait_for_a_model_are_counted_by_its_connection(get_page, project, settings):
    connection = factories.connection(project, settings, "lab")
    run = factories.run(factories.experiment(project))
    job = Job.objects.create(
        project=project, run=run, lane=f"generate:{connection.pk}", kind="generate", total=40
    )
    Chunk.objects.create(job=job, first=1, last=40, total=40)
    ServerLimit.objects.create(connection=connection, rate=2.5)

    words = get_page()

    assert re.search("lab 40 8 2.5 a second no", words)
