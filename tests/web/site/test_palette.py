"""The command palette: what Enter takes."""

import pytest
from playwright.sync_api import expect

from evaluations.models import Experiment
from tests import factories
from tests.pages import markup, text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def named(project, name: str) -> Experiment:
    experiment = factories.experiment(project)
    Experiment.objects.filter(pk=experiment.pk).update(name=name)
    return experiment


def test_enter_opens_the_first_hit_of_what_was_typed_last(alices_page, live_server, project):
    found = named(project, "Do rules help?")
    alices_page.goto(f"{live_server.url}/p/{project.slug}/")

    alices_page.keyboard.press("Control+k")
    alices_page.keyboard.type("rules")
    alices_page.keyboard.press("Enter")

    alices_page.wait_for_url(f"**/experiments/{found.pk}/")


def test_hits_stand_below_their_kind_with_the_searched_letters_in_bold(alices_page, live_server, project):
    named(project, "Do <rules> help?")
    alices_page.goto(f"{live_server.url}/p/{project.slug}/")

    alices_page.keyboard.press("Control+k")
    alices_page.keyboard.type("RULES")

    expect(alices_page.locator("#hits li")).to_contain_text(["Experiments", "Do <rules> help?"])
    expect(alices_page.locator("#hits b")).to_have_text("rules")


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        ("compare", "Compare variants: choose an experiment", "/p/default/experiments/"),
        ("export", "Export a dataset: choose it", "/p/default/datasets/"),
        ("theme", "Theme: light, dark or that of the system", "#theme"),
    ],
)
def test_what_every_page_can_do_is_found_by_its_name(alices, project, text, name, address):
    found = {hit.name: hit.address for hit in alices.get(f"/p/default/search/?q={text}").context["hits"]}
    offered = {hit.name for hit in alices.get("/p/default/search/").context["hits"]}

    assert found[name] == address
    assert name not in offered


def test_a_text_that_stands_in_examples_only_leads_to_them(alices, dataset):
    page = alices.get("/p/default/search/?q=What+is+7")

    assert "No name contains “What is 7”" in text_of(page)
    assert f'href="/datasets/{dataset.pk}/?q=What%20is%207"' in markup(page)
    assert "In examples of 1 dataset" in text_of(page)
    assert "11 of 120 examples" in text_of(page)


def test_the_page_of_the_search_says_of_which_kind_an_evaluator_is(alices, project):
    factories.evaluator(project, "levenshtein_similarity", name="Close enough")

    assert "Close enough Levenshtein similarity" in text_of(alices.get("/p/default/search/?q=close"))
