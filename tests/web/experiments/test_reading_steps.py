"""Reading steps by one click, on the pages of an experiment and of a run."""

import pytest

from evaluations.experiments import experiments
from evaluations.models import Evaluator
from evaluations.scoring import scoring
from tests import factories

THOUGHT = ("<think>Lyon?</think>Paris", "Rome", "<think>No.</think>Oslo")


@pytest.fixture
def run(project):
    return factories.scored_run(factories.experiment(project), THOUGHT)


@pytest.mark.parametrize("page", ["experiments/{0.experiment_id}", "runs/{0.pk}"])
def test_the_step_is_offered_where_answers_need_it(alices, run, page):
    body = alices.get(f"/{page.format(run)}/").content.decode()

    assert "Answers hold reasoning." in body
    assert f'action="/experiments/{run.experiment_id}/reading/"' in body


def test_a_viewer_is_offered_nothing(as_user, dana, run):
    assert "Answers hold reasoning." not in as_user(dana).get(f"/runs/{run.pk}/").content.decode()


def test_one_click_takes_the_step_and_undo_takes_it_back(alices, run):
    address = f"/experiments/{run.experiment_id}/"
    page = alices.post(f"{address}reading/", {"step": "reasoning"}, follow=True)
    [message] = page.context["messages"]
    while scoring.work(seconds=10):
        pass

    assert "exact match v2: scoring 1 run." in str(message)
    assert "Answers hold reasoning." not in page.content.decode()
    assert message.extra_tags == f"{address}reading/undo/?versions={Evaluator.objects.get().pk}%3A1"

    alices.post(message.extra_tags)

    assert [version.number for version in experiments.versions_of(run.experiment)] == [1]
