"""Heads of pages and tabs: facts keep to one line, and tabs to one that scrolls, in a real browser."""

import pytest
from playwright.sync_api import Page

from evaluations.launches import launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import PromptVersion
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
TABS = ("settings", "connections", "webhooks", "retention", "shares", "audit")


@pytest.fixture
def version(project, settings) -> PromptVersion:
    server = factories.connection(project, settings)
    content = Content([{"role": "user", "content": "Where is {{ question }}?"}], "tiny", connection=server)
    return prompts.version_of(prompts.create(project, None, "solve", content))


@pytest.mark.parametrize("width", [1280, 1024])
def test_the_facts_of_a_launch_stand_on_one_line(live_server, alices_page: Page, project, version, width):
    experiment = factories.experiment(project, references=["a"] * 60)
    launch = launches.create(experiment, None, [Variant(version)], Plan(seed=1, size=40))
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/launches/{launch.pk}/")

    facts = alices_page.locator(".page-head > .facts").bounding_box()
    name = alices_page.locator(".page-head > h1").bounding_box()
    state = alices_page.locator(".page-head > .state").bounding_box()
    assert facts["height"] < 30
    assert facts["y"] >= name["y"] + name["height"]
    assert state["x"] - (name["x"] + name["width"]) < 30


@pytest.mark.parametrize("width", [400, 320])
@pytest.mark.parametrize("tab", TABS)
def test_the_pages_of_the_settings_are_one_line(live_server, alices_page: Page, project, width, tab):
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/p/{project.slug}/{tab}/")

    tabs = alices_page.locator(".tabs a")
    assert len({tab.bounding_box()["y"] for tab in tabs.all()}) == 1
    here = alices_page.locator(".tabs [aria-current]").bounding_box()
    assert 0 <= here["x"] <= here["x"] + here["width"] <= width
    assert alices_page.evaluate("document.documentElement.scrollWidth") == width


def test_code_scrolls_to_the_edge_of_its_block(live_server, alices_page: Page, project, version):
    alices_page.set_viewport_size({"width": 1280, "height": 720})

    alices_page.goto(f"{live_server.url}/prompts/{version.prompt_id}/labels/")

    block, code = (alices_page.locator(part).first.bounding_box() for part in (".program", ".program pre"))
    assert code["x"] + code["width"] == block["x"] + block["width"]
