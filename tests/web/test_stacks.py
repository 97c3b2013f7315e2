"""Rows of tables on a phone, in a real browser: all break alike."""

import pytest
from playwright.sync_api import Page

from evaluations.access import api_keys
from evaluations.models import Project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROWS = """
() => [...document.querySelectorAll(".stacks tbody tr")].map(row => {
  const at = cell => { const box = cell.getBoundingClientRect(); return [Math.round(box.left), Math.round(box.right)] }
  const [name, action] = [row.querySelector("th"), row.lastElementChild]
  return {
    figures: [...row.querySelectorAll("[data-name]")].map(cell => at(cell)[0]),
    limit: getComputedStyle(name).maxInlineSize,
    edge: at(action)[1] - at(row)[1],
    isBeside: action.getBoundingClientRect().top < name.getBoundingClientRect().bottom,
  }
})
"""


@pytest.mark.parametrize("address", ["/account/", "/p/{slug}/settings/"])
def test_what_can_be_done_stands_beside_the_name_and_figures_below_one_another(
    alices_page: Page, live_server, project: Project, alice, address
):
    for name, addresses in (
        ("ci", []),
        ("nightly evaluation of the support bot", ["10.0.0.0/8", "192.0.2.7"]),
    ):
        api_keys.create_key(project, alice, name, "read", addresses=addresses)
    alices_page.set_viewport_size({"width": 400, "height": 800})

    alices_page.goto(live_server.url + address.format(slug=project.slug))

    rows = [row for row in alices_page.evaluate(ROWS) if row["figures"]]
    assert len(rows) >= 2
    assert {row["edge"] for row in rows} == {0}
    assert {row["limit"] for row in rows} == {"none"}
    assert all(row["isBeside"] for row in rows)
    assert all(
        row["figures"] == max((other["figures"] for other in rows), key=len)[: len(row["figures"])]
        for row in rows
    )
