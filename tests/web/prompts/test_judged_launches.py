"""Judges of a launch on its pages: what they would cost, that they have money, and how far they are."""

import pytest

from evaluations.experiments import experiments
from evaluations.models import Allowance, Judging, Launch
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests.judges.conftest import *  # noqa: F403 - the fixtures of a judge
from tests.judges.conftest import answers_and_verdicts, work_on
from tests.pages import text_of

from .test_launches import NEW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def judge(serve, experiment, make_judge):
    version = make_judge(serve(answers_and_verdicts))
    experiments.add_evaluators(experiment, [version.evaluator])
    return version


@pytest.fixture
def form(project, experiment, judge):
    content = Content(
        [{"role": "user", "content": "Where is {{ question }}?"}],
        "tiny",
        {"max_completion_tokens": 10},
        connection=judge.evaluator.connection,
    )
    version = prompts.version_of(prompts.create(project, None, "solve", content))
    return {
        "experiment": experiment.pk,
        "row": [version.pk],
        "model": ["tiny"],
        "variants": [f"{version.pk}:tiny"],
        "repetitions": "1",
        "tolerated": "5",
        "max_calls": "4",
        "judges": "on",
    }


def test_the_form_names_the_judges_and_their_cost(alices, form):
    shown = text_of(alices.post(NEW, form | {"do": "estimate"}))
    assert "Besides, right scores the answers: about 3 texts" in shown


@pytest.mark.long
def test_a_judge_is_followed_and_continued_on_the_page_of_its_launch(alices, form):
    assert alices.post(NEW, form | {"do": "start"}).status_code == 302
    launch = Launch.objects.get()
    assert Allowance.objects.count() == 1
    work_on()
    page = text_of(alices.get(f"/launches/{launch.pk}/"))
    assert "waiting 1 of 3" in page
    assert "The next answer and its paid scores might exceed it." in page
    alices.post(f"/launches/{launch.pk}/continue/", {"max_calls": "9"})
    work_on()
    assert Judging.objects.first().status == "completed"
    assert "completed 3 of 3" in text_of(alices.get(f"/launches/{launch.pk}/"))


def test_an_unticked_box_leaves_the_judges_out(alices, form):
    del form["judges"]
    alices.post(NEW, form | {"do": "start"})
    assert not Allowance.objects.exists()
