"""While a judge reads answers that were scored before, every page says how far it is, and can stop it."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluations import work_rates
from evaluations.judges import at_work, judgings
from evaluations.models import Job, Judging, ServerLimit, Verdict
from evaluations.prompts.named import Money
from tests.pages import text_of

from .conftest import work, work_on

pytestmark = pytest.mark.django_db(transaction=True)
STATES = [Verdict.State.GIVEN, Verdict.State.FAILED]


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def reading(run, judge):
    """A judge that began ten seconds ago, and read two of three answers, one of them in vain."""
    work()
    [judging] = judgings.start([run], [judge], None, Money(max_calls=9))
    Job.objects.filter(judging=judging).update(started_at=timezone.now() - timedelta(seconds=10))
    for example, state in enumerate(STATES, 1):
        Verdict.objects.create(
            judging=judging, run=run, version=judge, example=example, answer=0, key=bytes(32), state=state
        )
    return judging


@pytest.fixture
def pages(run):
    return [reverse("run-detail", args=[run.pk]), reverse("experiment-detail", args=[run.experiment_id])]


def test_run_and_experiment_say_how_far_it_is_how_fast_and_ask_again(alices, reading, pages):
    for address in pages:
        html = alices.get(address)
        told = " ".join(text_of(html).split()).replace("\N{NO-BREAK SPACE}", " ")
        assert "2 of 3 answers read by right , 1 error 0.2 per second, about" in told
        assert 'hx-trigger="every' in html.content.decode()
        assert "finished" not in told


def test_it_can_be_cancelled_there_and_leaves_the_page_as_it_was(alices, reading, pages):
    stop = reverse("judging-cancel", args=[reading.pk])
    for address in pages:
        assert stop in alices.get(address).content.decode()

    answer = alices.post(stop, {"next": pages[1]})

    reading.refresh_from_db()
    assert (answer.url, reading.status) == (pages[1], Judging.Status.CANCELLED)
    assert stop not in alices.get(pages[1]).content.decode()


def test_the_page_of_workers_lists_it_and_the_queue_is_not_empty(alices, admin_user, client, reading):
    client.force_login(admin_user)

    told = " ".join(text_of(client.get("/workers/")).split())

    assert "Queue empty" not in told
    assert "2 of 3" in told.partition("Judges that read")[2]


def test_a_server_that_rests_is_told_instead_of_the_time_left(alices, reading, pages):
    rest = timezone.now() + timedelta(minutes=3)
    ServerLimit.objects.update_or_create(
        connection=reading.connection, defaults={"resume_at": rest.timestamp()}
    )

    told = " ".join(text_of(alices.get(pages[0])).split())

    assert f"Its server wants to be asked again at {rest:%H:%M:%S} UTC" in told
    assert "per second" not in told


def test_nothing_is_at_work_when_it_has_ended(run, judge, reading, stub):
    work_on()

    assert at_work.of_runs([run]) == []
    assert at_work.everywhere(5) == []


@pytest.mark.parametrize(
    ("seconds", "done", "total", "before", "told"),
    [
        (10, 50, 100, 20, 3.0),
        (2, 50, 100, 0, None),
        (10, 1, 100, 0, None),
        (10, 20, 100, 20, 0.0),
        (10, 0, 0, 0, None),
    ],
)
def test_a_rate_is_of_what_was_done_since_and_told_after_three_seconds_and_a_fiftieth(
    monkeypatch, seconds, done, total, before, told
):
    now = timezone.now()
    monkeypatch.setattr(work_rates.leases, "now", lambda: now)

    assert work_rates.rate(done, total, now - timedelta(seconds=seconds), before) == told
