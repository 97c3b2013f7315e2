"""What a manager asks of an experiment: who scored it, and what it cost."""

import pytest

from evaluations.evaluators import connections
from evaluations.labelling import rating, sets, tasks
from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Budget
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.labelling.test_facts import rate_all
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def test_how_far_people_agree_stands_beside_their_number(alices, alice, bob, project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, ("Paris", "Lyon", "Oslo"), name) for name in ("old", "new")]
    label_set = sets.create(project, alice, "people", {})
    task = tasks.create(label_set, alice, runs[:1], tasks.Plan(size=3, seed=1, raters=2, overlap=0))
    rate_all(rating.rater_of(task, alice), lambda output: "pass")
    rate_all(rating.rater_of(task, bob), lambda output: "fail" if output == "Lyon" else "pass")
    tasks.close(task)

    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))

    assert "2 people , who agree on 67 %, no more than by chance" in page
    said = text_of(alices.get(f"/runs/{runs[0].pk}/people/"))
    assert "they agree on 67 %, no more than by chance" in said
    assert "3 answers, 2 people" in said


def test_what_the_experiment_cost_is_what_its_launch_says(alices, project, settings):
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    experiment = factories.experiment(project)
    server = connections.create(project, None, "local", "http://127.0.0.1:9/v1")
    content = Content([{"role": "user", "content": "{{ question }}"}], "tiny", {}, connection=server)
    version = prompts.version_of(prompts.create(project, None, "solve", content))
    address = f"/experiments/{experiment.pk}/"
    launch = launches.create(experiment, None, [Variant(version)], Plan(seed=1))
    assert "cost 0" not in text_of(alices.get(address))

    Budget.objects.filter(pk=launch.budget_id).update(committed=250_000_000_000, calls=1)

    assert "cost 0.25 USD" in text_of(alices.get(address))
    assert "Spent, USD 0.25" in text_of(alices.get(f"/launches/{launch.pk}/"))
