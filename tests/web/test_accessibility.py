"""axe finds no fault on the main pages, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page

from evaluations.experiments import experiments
from evaluations.models import Evaluator, Run
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
# axe leaves these out unless they are named
NAMED = {"target-size": {"enabled": True}, "label-content-name-mismatch": {"enabled": True}}
REFERENCES = [f"The capital of land {n} is city {n}." for n in range(12)]


# What has the focus, if something else lies over its middle, as a sticky head or a drawer may.
COVERED = """() => {
  const focused = document.activeElement, box = focused.getBoundingClientRect();
  const x = box.left + Math.min(box.width / 2, 20), y = box.top + box.height / 2;
  if (focused === document.body || !box.width || box.height > innerHeight / 2) return null;
  const shown = document.elementFromPoint(x, y);
  return shown && (focused.contains(shown) || shown.contains(focused)) ? null : focused.outerHTML.slice(0, 120);
}"""


@pytest.fixture
def signed_in(alices_page: Page) -> Page:
    alices_page.emulate_media(reduced_motion="reduce")
    return alices_page


@pytest.fixture
def addresses(project, settings) -> list[str]:
    experiment = factories.experiment(project, "levenshtein_similarity", "exact_match", references=REFERENCES)
    outputs = [reference[:-2] for reference in REFERENCES]
    runs = [
        factories.scored_run(experiment, texts, name)
        for name, texts in [("new", outputs), ("old", REFERENCES)]
    ]
    for run, name in zip(runs, ("model/" * 40, "other/" * 40), strict=True):
        Run.objects.filter(pk=run.pk).update(about={"model": name})
    evaluator = Evaluator.objects.get(project=project, name__startswith="levenshtein")
    server = factories.connection(project, settings)
    messages = [{"role": "user", "content": "Answer {{ question }}"}]
    prompts.create(project, None, "answers", Content(messages, model="small", connection=server))
    prices.set_price(server, "small", 10**6, 10**6, None, timezone.now().date())
    return [
        "/",
        f"/p/{project.slug}/datasets/upload/",
        f"/datasets/{experiment.dataset_id}/?row=1",
        f"/evaluators/{evaluator.pk}/",
        f"/experiments/{experiment.pk}/?details={evaluator.pk}",
        f"/experiments/{experiment.pk}/people/",
        f"/runs/{runs[0].pk}/?row=1",
        f"/p/{project.slug}/settings/",
        f"/p/{project.slug}/launches/new/",
        "/docs/",
    ]


def serious_violations(page: Page) -> list[tuple[str, str]]:
    options = {"resultTypes": ["violations"], "runOnly": RULES, "rules": NAMED}
    return [
        (violation["id"], violation["nodes"][0]["html"])
        for violation in Axe().run(page, options=options).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_main_page_has_a_serious_violation(live_server, signed_in, addresses, scheme):
    signed_in.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    serious = {}

    for address in addresses:
        answer = signed_in.goto(f"{live_server.url}{address}")
        assert answer.status == 200, address
        serious[address] = serious_violations(signed_in)

    assert not any(serious.values()), serious


def test_what_is_folded_has_no_violation_and_no_overflow_when_it_is_open(live_server, signed_in, addresses):
    """Such as long texts, and the tables behind drawings, which are hidden until they are asked for."""
    serious, wide = {}, []

    for address in addresses:
        signed_in.set_viewport_size({"width": 1280, "height": 900})
        signed_in.goto(f"{live_server.url}{address}")
        signed_in.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        serious[address] = serious_violations(signed_in)
        signed_in.set_viewport_size({"width": 320, "height": 900})
        if signed_in.evaluate("document.scrollingElement.scrollWidth") > 320:
            wide.append(address)

    assert not any(serious.values()), serious
    assert wide == []


def test_the_bar_keeps_its_height_and_its_links_under_any_name_of_the_project(
    live_server, signed_in, project
):
    size = "[document.querySelector('.topbar').offsetHeight, document.querySelector('.nav').offsetWidth]"

    for width in (1280, 400):
        signed_in.set_viewport_size({"width": width, "height": 800})
        sizes = []
        for project.name in ("Refunds", "WITHOUTABREAK" * 15):
            project.save()
            signed_in.goto(f"{live_server.url}/p/{project.slug}/gates/")
            sizes.append(signed_in.evaluate(size))

        assert sizes[0] == sizes[1]


def test_no_hit_of_a_search_is_wider_than_the_page_or_longer_than_two_lines(live_server, signed_in, project):
    name = "WITHOUTABREAK" * 15
    dataset = factories.dataset(project, name=name)
    experiments.create(project, None, f"{name}1", dataset)

    for width in (1280, 320):
        signed_in.set_viewport_size({"width": width, "height": 800})
        signed_in.goto(f"{live_server.url}/p/{project.slug}/search/?q=without")

        assert signed_in.evaluate("document.scrollingElement.scrollWidth") == width
        tallest = "Math.max(...[...document.querySelectorAll('.hits a')].map(a => a.offsetHeight))"
        assert signed_in.evaluate(tallest) < 60


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_lies_over_what_has_the_focus(live_server, signed_in, project, width):
    experiment = factories.experiment(project, "exact_match", references=[f"city {n}" for n in range(40)])
    run = factories.scored_run(experiment, [f"city {n % 7}" for n in range(40)], "v1")
    signed_in.set_viewport_size({"width": width, "height": 720})
    covered = {}

    for address in (
        f"/runs/{run.pk}/?row=30",
        f"/datasets/{experiment.dataset_id}/?row=30",
        f"/runs/{run.pk}/",
    ):
        signed_in.goto(f"{live_server.url}{address}")
        for key in [*["Tab"] * 45, *["Shift+Tab"] * 35]:
            signed_in.keyboard.press(key)
            if found := signed_in.evaluate(COVERED):
                covered[address, key] = found

    assert covered == {}
