"""Long texts compared on the pages of an experiment and a run, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
POLICY = "Thank you for asking. " + "".join(
    f"This is sentence number {number} of the whole long policy. " for number in range(30)
)
PLANS = "## Plans\n\n| Plan | Price |\n|---|---|\n| Team | 96 EUR |\n\n- change monthly\n- see [more](http://x.example)\n"
ORDER = '{"order": "A-1", "total": 184.5, "items": [{"count": 2}], "currency": "EUR"}'
ARABIC = "يمكنك إرجاع الجهاز خلال 30 يوما."
CODE = "def total(items):\n    count = len(items);\n    return count"
OLDER = [f"{POLICY}Return it within 30 days.", PLANS, ORDER, ARABIC, CODE]
NEWER = [text.replace("30 days", "14 days").replace("96", "69") for text in OLDER]
NEWER[2] = '{"total": 184.50, "order": "A-1", "items": [{"count": 3}], "currency": "EUR"}'
NEWER[3] = ARABIC.replace("30", "14")
NEWER[4] = CODE.replace("count", "n")


@pytest.fixture
def experiment(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=OLDER)
    factories.scored_run(experiment, OLDER, "policy v1")
    factories.scored_run(experiment, NEWER, "policy v2")
    return experiment


def faults(page: Page) -> list[str]:
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [found["id"] for found in violations if found["impact"] in ("moderate", "serious", "critical")]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (400, "dark"),
        pytest.param(400, "light", marks=pytest.mark.slow),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(1280, "light", marks=pytest.mark.slow),
    ],
)
def test_every_form_of_text_is_read_without_a_fault(live_server, alices_page, experiment, scheme, width):
    alices_page.set_viewport_size({"width": width, "height": 800})
    alices_page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    run = experiment.runs.get(variant="policy v2")
    for address in (
        f"/experiments/{experiment.pk}/?order=position",
        f"/experiments/{experiment.pk}/?order=position&open=1",
        f"/experiments/{experiment.pk}/?order=position&inline=1&whole=1",
        f"/experiments/{experiment.pk}/?order=position&raw=1",
        f"/runs/{run.pk}/?row=2",
    ):
        alices_page.goto(f"{live_server.url}{address}")
        assert alices_page.evaluate("document.documentElement.scrollWidth") == width, address
        assert faults(alices_page) == [], address


def test_the_last_sentence_is_in_sight_and_the_rest_opens_without_a_script(
    live_server, alices_page, experiment
):
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/?order=position")
    first = alices_page.locator("#e1 td").last
    expect(first).to_contain_text("Return it within")
    expect(first).to_contain_text("1 change, a number")
    expect(first).not_to_contain_text("sentence number 15")

    first.locator("a.same-fold").click()

    opened = alices_page.locator("#e1 > tr.open > td").last
    expect(opened.locator("details.same-fold .text")).to_be_hidden()
    opened.locator("details.same-fold > summary").click()
    expect(opened.locator("details.same-fold")).to_contain_text("sentence number 15")


def test_nothing_of_a_text_is_a_link_or_loaded(live_server, alices_page, experiment):
    alices_page.goto(f"{live_server.url}/experiments/{experiment.pk}/?order=position")

    assert alices_page.locator(".rendered :is(a, img, iframe)").count() == 0
    expect(alices_page.locator("#e2 > tr > td").last.locator(".rendered table")).to_be_visible()
