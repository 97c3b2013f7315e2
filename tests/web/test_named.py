"""What the pages of all named things share: renaming, deleting and restoring."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from evaluations.gates import gates
from evaluations.gates.gates import Plan
from tests import factories

pytestmark = pytest.mark.django_db

NOUNS = ("connection", "dataset", "evaluator", "experiment", "gate", "prompt")


@pytest.fixture
def target(request, project, alice, settings):
    noun = request.param
    if noun == "gate":
        experiment = factories.experiment(project, "exact_match")
        criterion = {"rule": "answered", "value": 0.9}
        plan = Plan(factories.scored_run(experiment, ("Paris", "Rome", "Oslo")), [criterion])
        return gates.create(project, alice, "release", plan)
    if noun == "connection":
        return factories.connection(project, settings)
    if noun == "dataset":
        return factories.questions(project)
    return getattr(factories, noun)(project)


def messages_of(answer) -> list[str]:
    return [str(message) for message in answer.context["messages"]]


def post(client, target, action: str, fields: dict[str, str] | None = None):
    noun = target._meta.model_name
    return client.post(reverse(f"{noun}-{action}", args=[target.pk]), fields or {}, follow=True)


@pytest.mark.parametrize("target", NOUNS, indirect=True)
def test_a_deletion_is_said_with_the_days_in_which_it_can_be_undone(alices, target):
    assert messages_of(post(alices, target, "delete")) == [
        f"{target.name} deleted; can be restored for 7 days."
    ]


@pytest.mark.parametrize("target", NOUNS, indirect=True)
def test_a_deletion_leads_to_the_list_in_which_the_thing_was(alices, target):
    noun, slug = target._meta.model_name, target.project.slug
    answer = post(alices, target, "delete")
    assert answer.redirect_chain == [(reverse(f"{noun}-list", args=[slug]), 302)]


@pytest.mark.parametrize("target", NOUNS, indirect=True)
def test_a_restored_thing_is_named_on_its_page(alices, target):
    post(alices, target, "delete")
    answer = post(alices, target, "restore")
    assert answer.redirect_chain == [(reverse(f"{target._meta.model_name}-detail", args=[target.pk]), 302)]
    assert f"{target.name} restored." in messages_of(answer)


@pytest.mark.parametrize("target", ["dataset", "experiment"], indirect=True)
def test_a_refused_name_is_shown_in_a_form_with_a_way_back(alices, target):
    answer = post(alices, target, "rename", {"name": " "})
    assert answer.status_code == 400
    html = answer.content.decode()
    assert f"Rename {target.name}" in html
    assert f'href="{reverse(f"{target._meta.model_name}-detail", args=[target.pk])}">Cancel' in html


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("noun", ["datasets", "evaluators", "prompts", "gates"])
def test_an_empty_list_says_its_main_way_once(live_server, alices_page, project, noun):
    alices_page.goto(f"{live_server.url}/p/{project.slug}/{noun}/")

    expect(alices_page.locator("main .button-main:visible")).to_have_count(1)
