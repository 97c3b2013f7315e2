"""The figures for operators in Prometheus' format."""

import shutil
import subprocess
from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from evalsite.pulses import Pulses
from evaluations.models import Chunk, Delivery, Import, Job, Pulse, Webhook
from tests import factories
from tests.processes import ROOT

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-a-test-only"


@pytest.fixture
def figures(client, settings):
    """All samples by name and labels."""
    settings.METRICS_TOKEN = TOKEN

    def read(**environment):
        page = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, **environment)
        assert page.status_code == 200
        families = text_string_to_metric_families(page.content.decode())
        samples = [sample for family in families for sample in family.samples]
        return {(sample.name, *sorted(sample.labels.items())): sample.value for sample in samples}

    return read


def test_without_a_token_the_page_does_not_exist(client):
    assert client.get("/metrics").status_code == 404


def test_only_the_token_opens_it(client, settings):
    settings.METRICS_TOKEN = TOKEN

    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer evk_1"}).status_code == 401


def test_waiting_work_is_counted_by_lane_and_project(figures, project):
    experiment = factories.experiment(project, "exact_match", references=("Paris",))
    run = factories.scored_run(experiment, ("Paris",), "base")
    job = Job.objects.create(run=run, project=project, lane="text", total=1)
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=10))
    job.chunks.create(first=0, last=0, total=1)
    job.chunks.create(first=1, last=6, total=6, state=Chunk.State.DONE)

    read = figures()

    where = (("lane", "text"), ("project", str(project.pk)))
    assert read["evalsite_jobs", *where] == 1
    assert 600 <= read["evalsite_queue_age_seconds", *where] < 700
    assert read["evalsite_queue_size", *where] == 1


def test_files_of_datasets_and_of_outputs_are_counted_together(figures, client, project):
    """Each figure once: of two with the same labels, Prometheus keeps the first."""
    experiment = factories.experiment(project, "exact_match", references=("Paris",))
    run = factories.run(experiment, ("Paris",), start=False)
    for minutes, of in ((5, {"dataset": experiment.dataset}), (10, {"run": run})):
        at = timezone.now() - timedelta(minutes=minutes)
        Import.objects.create(filename="a.csv", stored_as="a.csv", size=1, created_at=at, **of)

    read = figures()
    page = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()

    where = (("lane", "files"), ("project", str(project.pk)))
    assert read["evalsite_jobs", *where] == read["evalsite_queue_size", *where] == 2
    assert 600 <= read["evalsite_queue_age_seconds", *where] < 700
    assert page.count('lane="files"') == 3


def test_requests_are_counted_by_route_and_status(figures, client):
    where = "evalsite_requests_total", ("route", "signin"), ("status", "200")
    before = figures().get(where, 0)

    client.get("/signin/")

    assert figures()[where] == before + 1


def test_a_late_event_loop_is_shown_and_makes_the_site_unready(figures, client):
    pulses = Pulses(2)
    for number in range(2):
        pulses.begin(number)
    pulses.beat(1, 7.5, connections=3)

    read = figures(**{"evalsite.pulses": pulses})
    ready = client.get("/readyz", **{"evalsite.pulses": pulses})

    assert read["evalsite_event_loop_delay_seconds", ("process", "2")] == 7.5
    assert read["evalsite_open_connections", ("process", "2")] == 3
    assert (ready.status_code, ready.json()["status"]) == (503, "web answers late")


def test_workers_are_named_with_the_time_since_they_were_seen(figures):
    Pulse.objects.create(name="worker@two", at=timezone.now() - timedelta(minutes=5))

    assert 300 <= figures()["evalsite_worker_age_seconds", ("worker", "worker@two")] < 330


def test_memory_and_caches_are_those_of_each_web_process(figures):
    pulses = Pulses(2)
    for number in range(2):
        pulses.begin(number)
    pulses.beat(0, 0.0, connections=0, caches=5)

    read = figures(**{"evalsite.pulses": pulses})

    assert read["evalsite_cache_bytes", ("process", "1")] == 5
    assert read["evalsite_memory_bytes", ("process", "1")] > 1_000_000
    assert read["evalsite_memory_bytes", ("process", "2")] == 0  # not yet there


def test_events_that_were_given_up_long_ago_alert_nobody(figures, project):
    webhook = Webhook.objects.create(project=project, url="http://example.com/")
    for minutes in (5, 90):
        at = timezone.now() - timedelta(minutes=minutes)
        Delivery.objects.create(
            webhook=webhook, event="run.completed", state=Delivery.State.DONE, tried_at=at
        )

    assert figures()["evalsite_webhooks_failed", ("webhook", str(webhook.pk))] == 1


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed")
def test_the_alert_rules_are_accepted_by_promtool():
    rules = ROOT / "deploy/prometheus/rules.yml"
    assert subprocess.run(["promtool", "check", "rules", str(rules)], check=False).returncode == 0
