"""The page of an experiment reports changes of its dataset since the last comparison."""

import re

import pytest

from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.web.comparisons import new_since
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
NEW = {"key": "k4", "inputs": {"question": "q4"}, "reference": {"answer": "Bern"}}


@pytest.fixture
def experiment(project):
    created = factories.experiment(project)
    factories.scored_run(created)
    return created


@pytest.fixture
def html_of(as_user, alice):
    client = as_user(alice)
    return lambda shown: markup(client.get(f"/experiments/{shown.pk}/"))


def change(dataset):
    """Three versions: one example added, one changed, one removed."""
    datasets.append(dataset, None, [NEW])
    datasets.edit(dataset, None, 2, {"reference": {"answer": "Roma"}})
    datasets.remove(dataset, None, 3)


def test_nothing_is_new_where_the_dataset_is_as_it_was(html_of, experiment):
    assert "Show changes from" not in html_of(experiment)


def test_nothing_is_new_where_a_change_was_undone(html_of, experiment):
    datasets.remove(experiment.dataset, None, 3)
    datasets.put_back(experiment.dataset, None, 3)

    assert "Show changes from" not in html_of(experiment)


def test_a_newer_version_is_counted_and_its_changes_are_linked(html_of, experiment):
    change(experiment.dataset)

    html = html_of(experiment)

    assert "1 added, 1 changed, 1 removed" in html
    assert f"/datasets/{experiment.dataset.pk}/diff/?from=1&amp;to=4" in html


def test_the_newer_version_is_used_with_one_click(html_of, experiment, as_user, alice):
    change(experiment.dataset)

    html = html_of(experiment)

    button = re.search(r'<button form="([^"]+)">Use v4</button>', html)
    form = re.search(rf'<form id="{button[1]}" method="post" action="([^"]+)">', html)
    as_user(alice).post(form[1])
    experiment.refresh_from_db()
    assert experiment.dataset_version == 4
    assert "this experiment uses" not in html_of(experiment)


def test_a_later_experiment_says_what_is_new_since_the_earlier_one(html_of, experiment, project):
    change(experiment.dataset)
    later = experiments.create(project, None, "next week", experiment.dataset, [])
    factories.run(later, ("Paris",), start=False)

    html = html_of(later)

    assert experiment.name in html
    assert f"/datasets/{experiment.dataset.pk}/diff/?from=1&amp;to=4" in html
    assert "1 added, 1 changed, 1 removed" in html


def test_many_differing_rows_are_linked_and_not_counted(html_of, experiment, monkeypatch):
    monkeypatch.setattr(new_since, "MOST_COUNTED", 2)
    change(experiment.dataset)

    html = html_of(experiment)

    assert "1 added" not in html
    assert f"/datasets/{experiment.dataset.pk}/diff/?from=1&amp;to=4" in html


def test_the_verdict_stands_before_what_the_dataset_has_since(as_user, alice, experiment):
    factories.scored_run(experiment, variant="v2")
    datasets.append(experiment.dataset, None, [NEW])
    client, address = as_user(alice), f"/experiments/{experiment.pk}/"

    behind = client.get(address)
    experiments.use_dataset_version(experiment, 2)
    moved = client.get(address)

    for page, news in ((behind, "this experiment uses v1"), (moved, "left out until they are asked")):
        text = text_of(page)
        assert 0 <= text.index(page.context["comparison"].sentence.text[:20]) < text.index(news)
