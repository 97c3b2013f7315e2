"""A page that polls asks seldom while its tab is hidden, in a real browser."""

import pytest
from django.utils import timezone

from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
HIDE = "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})"


@pytest.fixture
def run(project) -> Run:
    """A run that goes on for ever, so that its page polls every second and is swapped by every answer."""
    experiment = factories.experiment(project, "exact_match", references=("Paris", "Rome"))
    run = factories.scored_run(experiment, ("Paris", "Oslo"), "base")
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.RUNNING, finished_at=None, started_at=timezone.now()
    )
    return run


def requests_in(page, seconds: int) -> int:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(seconds * 1000)
    return len(asked)


def test_a_hidden_tab_asks_once_where_a_visible_one_asks_every_second(live_server, alices_page, run):
    alices_page.goto(f"{live_server.url}/runs/{run.pk}/")
    alices_page.wait_for_load_state("networkidle")
    visible = requests_in(alices_page, 6)

    alices_page.evaluate(HIDE)
    hidden = requests_in(alices_page, 6)

    assert visible >= 3
    assert hidden <= 1
