"""Long references on an open example, and scores on which several people do not agree."""

import pytest

from evaluations.labelling import rating, sets, tasks
from tests import factories
from tests.labelling.test_facts import rate_all
from tests.pages import text_of

pytestmark = pytest.mark.django_db

LONG = "Return it within a month of the day on which it came to you. " * 20


@pytest.fixture
def experiment(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=[LONG, "short"])
    for name, output in (("old", LONG), ("new", LONG), ("newest", "no")):
        factories.scored_run(experiment, [output, "short"], name)
    return experiment


def test_a_reference_that_all_outputs_write_out_is_not_read_again(alices, experiment):
    old, new, newest = experiment.runs.order_by("pk")
    both = f"/compare/?runs={old.pk}&runs={new.pk}&order=position&open=1"
    assert "Reference = both outputs" in text_of(alices.get(both))

    other = text_of(alices.get(f"/compare/?runs={old.pk}&runs={newest.pk}&order=position&open=1"))
    assert "= both outputs" not in other
    assert f"Show all {len(LONG):,} characters".replace(",", " ") in other

    assert "Reference = output" in text_of(alices.get(f"/runs/{old.pk}/?row=1"))
    assert "Reference = output" not in text_of(alices.get(f"/runs/{newest.pk}/?row=1"))


def test_where_people_do_not_agree_the_open_example_says_how_many_let_it_pass(
    alices, alice, bob, project, experiment
):
    old, new, _ = experiment.runs.order_by("pk")
    label_set = sets.create(project, alice, "people", {})
    task = tasks.create(label_set, alice, [old, new], tasks.Plan(size=2, seed=7, raters=2, overlap=0))
    rate_all(rating.rater_of(task, alice), lambda output: "pass")
    rate_all(rating.rater_of(task, bob), lambda output: "fail" if output == "short" else "pass")
    tasks.close(task)

    page = text_of(alices.get(f"/compare/?runs={old.pk}&runs={new.pk}&order=position&open=2"))

    assert "people 1 of 2 pass 1 of 2 pass" in page
