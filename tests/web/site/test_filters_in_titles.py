"""Lists say in their title what of them they show, and name the part of an address that they do not understand."""

import pytest

from evaluations.experiments import experiments
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db


def title_of(page) -> str:
    return " ".join(markup(page).partition("<title>")[2].partition("</title>")[0].split())


@pytest.mark.parametrize(
    "address", ["datasets/", "experiments/", "prompts/", "gates/", "evaluators/", "comments/"]
)
def test_what_is_looked_for_is_in_the_title(alices, project, address):
    factories.experiment(project)

    assert "· “cap” ·" in title_of(alices.get(f"/p/{project.slug}/{address}?q=cap"))


def test_what_a_page_of_a_prompt_and_of_changes_shows_is_in_the_title(alices, project):
    prompt = factories.prompt(project, "Solve {{ question }}")
    dataset = factories.dataset(project, ["Paris"])

    assert " · v1 " in title_of(alices.get(f"/prompts/{prompt.pk}/?version=1"))
    changes = alices.get(f"/datasets/{dataset.pk}/diff/?from=1&to=1")
    assert " from v1 to v1" in title_of(changes)
    assert "diff/?from=1&amp;to=1" in markup(changes)


def test_the_choices_of_experiments_are_in_the_title(alices, project):
    experiment = factories.experiment(project)

    page = alices.get(f"/p/{project.slug}/experiments/?state=empty&dataset={experiment.dataset_id}")

    assert f"· without runs · {experiment.dataset.name} ·" in title_of(page)


def test_the_audit_log_says_whose_entries_it_shows_and_what_it_did_not_understand(alices, project):
    alices.post(f"/p/{project.slug}/rename/", {"name": "renamed"})
    address = f"/p/{project.slug}/audit/"

    assert "Audit log of renamed · alice · from 1 Nov 2026 ·" in title_of(
        alices.get(f"{address}?who=alice&since=2026-11-01")
    )
    assert "“who=nobody” of this address was not understood" in text_of(alices.get(f"{address}?who=nobody"))


@pytest.mark.parametrize(
    ("runs", "words"), [("x", "“runs=x” is no number"), ("998,999", "no run 998, 999 here")]
)
def test_a_comparison_names_the_runs_of_its_address_that_it_cannot_show(alices, project, runs, words):
    assert words in text_of(alices.get(f"/compare/?runs={runs}"))


def test_the_part_that_was_not_understood_is_named_where_a_comparison_leads_back(alices, project):
    run = factories.scored_run(factories.experiment(project))
    here = f"http://testserver/experiments/{run.experiment_id}/"

    page = alices.get(f"/compare/?runs={run.pk},x", headers={"referer": here}, follow=True)

    assert "“runs=x” of this address was not understood" in text_of(page)


def test_a_further_page_of_a_list_says_with_what_it_begins_and_how_it_is_sorted(alices, project):
    one = factories.experiment(project)
    for letter in "abcdefghijklmnopqrst":
        experiments.create(project, None, f"night {letter}", one.dataset, [one.primary])
    address = f"/p/{project.slug}/experiments/?sort=question"

    first = alices.get(address)
    further = alices.get(first.context["page"].next)

    assert "· by question, ascending · Evalsite" in title_of(first)
    assert f"· from {further.context['page'].rows[0].name} ·" in title_of(further)


@pytest.mark.parametrize(
    "address", ["gates/new/", "prompts/new/", "evaluators/new/", "experiments/new/", "audit/"]
)
def test_pages_without_an_object_name_their_project(alices, project, address):
    assert project.name in title_of(alices.get(f"/p/{project.slug}/{address}"))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("experiments/?sort=zz", "There are question,"),
        ("comments/?done=zz", "There are true, false."),
    ],
)
def test_a_choice_that_is_none_is_named_with_those_there_are(alices, project, address, told):
    factories.experiment(project)

    assert told in text_of(alices.get(f"/p/{project.slug}/{address}"))


def test_an_unknown_way_to_count_missing_answers_is_named_with_what_is_shown(alices, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment)

    shown = text_of(alices.get(f"/experiments/{experiment.pk}/?missing=zz"))

    assert (
        "“missing=zz” of this address was not understood and is left out. There are worst, exclude; shown is worst."
        in shown
    )
