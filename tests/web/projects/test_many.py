"""A site with many projects, and a project with many evaluators: no page asks the database more often for them."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluations.models import Evaluator, EvaluatorVersion, Experiment, Membership, Project, Role
from evaluations.web.page_tools.frame import MENU
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
MANY = 200
PAGES = (
    "/p/",
    "/account/",
    "/workers/",
    "/metrics",
    "/p/default/experiments/",
    "/p/default/experiments/new/",
    "/p/default/evaluators/",
    "/p/default/evaluators/new/",
    "/p/default/datasets/",
    "/p/default/datasets/upload/",
    "/p/default/prompts/",
    "/p/default/gates/",
    "/p/default/tasks/",
    "/p/default/connections/",
    "/p/default/search/?q=e",
    "/p/default/settings/",
    "/experiments/{experiment}/",
    "/experiments/{experiment}/evaluators/",
    "/datasets/{dataset}/",
    "/datasets/{dataset}/trends/",
    "/runs/{run}/",
    "/evaluators/{evaluator}/",
    "/",
)


def queries_of(client: Client, ids: dict[str, Any]) -> dict[str, int]:
    counts = {}
    addresses = {page: page.format(**ids) for page in PAGES}
    for address in addresses.values():
        client.get(address)  # fills caches, and the list of what was opened last
    for page, address in addresses.items():
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address, headers={"Authorization": "Bearer token"})
        assert answer.status_code == 200, address
        counts[page] = len(queries)
    return counts


def many_projects(person: Any) -> None:
    made = Project.objects.bulk_create(Project(name=f"P{n:03}", slug=f"p-{n}") for n in range(MANY))
    Membership.objects.bulk_create(
        Membership(project=project, user=person, role=Role.ADMIN) for project in made
    )


def many_evaluators(like: Evaluator) -> None:
    version = like.versions.get()
    for number in range(MANY):
        like.pk, like.name, like.name_key, like._state.adding = None, f"e {number}", f"e {number}", True
        like.save()
        version.pk, version.evaluator, version._state.adding = None, like, True
        version.save()


@pytest.fixture
def sample(project, alice) -> Experiment:
    return factories.scored_sample(project, alice)


@pytest.mark.long
def test_no_page_asks_more_often_when_there_are_many(admin_client, sample, alice, project, settings):
    settings.METRICS_TOKEN = "token"
    ids = {
        "experiment": sample.pk,
        "dataset": sample.dataset_id,
        "run": sample.runs.earliest("pk").pk,
        "evaluator": Evaluator.objects.earliest("pk").pk,
    }
    few = queries_of(admin_client, ids)
    many_projects(alice)
    many_evaluators(factories.evaluator(project, name="one of many"))

    many = queries_of(admin_client, ids)

    assert EvaluatorVersion.objects.count() > MANY
    assert {page: many[page] - few[page] for page in PAGES if many[page] > few[page]} == {}


def test_the_menu_has_the_first_projects_and_leads_to_all(alices, alice, project):
    many_projects(alice)

    html = markup(alices.get("/p/p-150/experiments/"))

    assert html.count('href="/p/p-') >= MENU
    assert 'href="/p/p-100/experiments/"' not in html
    assert 'href="/p/"' in html


def test_all_projects_are_listed_and_found_by_name(alices, alice, project):
    many_projects(alice)

    assert 'href="/p/p-199/"' in markup(alices.get("/p/"))
    found = text_of(alices.get("/p/?q=p042"))
    assert "P042" in found
    assert "P043" not in found.partition("Find")[2]


def test_the_list_of_projects_says_what_each_holds_and_leads_to_a_new_one(alices, alice, bob, project):
    factories.experiment(project)
    Project.objects.create(name="Not Alice's", slug="not-hers")

    html = markup(alices.get("/p/"))

    members = project.memberships.count()
    assert members > 1
    assert f'<td class="number" data-unit="members">{members}</td>' in html
    assert '<td class="number" data-unit="experiment">1</td>' in html
    assert "just now" in html
    assert '<a class="button button-main" href="/p/new/">New project</a>' in html
    assert "not-hers" not in html


def test_who_may_create_no_project_is_not_led_to_a_new_one(alices, project, settings):
    settings.EVALSITE_PROJECT_CREATION = False

    assert "/p/new/" not in markup(alices.get("/p/"))


def test_few_projects_need_no_list(alices, project):
    assert 'href="/p/"' not in markup(alices.get("/"))
