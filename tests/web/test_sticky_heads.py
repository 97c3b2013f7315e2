"""A table longer than the screen keeps its heads in sight, and one wider than its frame the names of its rows.

None scrolls up and down by itself, where nothing would say that rows follow."""

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.django_db(transaction=True)
FRAMES = ["div class=scroll", "div class='scroll-narrow scroll'", "details open class=numbers"]
FILL = """(frame) => {
  const cells = (tag) => Array.from({length: 12}, (_, n) => `<${tag}>a longer word ${n}</${tag}>`).join("");
  const row = `<tr><th scope="row">name of the row</th>${cells("td")}</tr>`;
  const head = `<thead><tr><th scope="col">Name</th>${cells("th")}</tr></thead>`;
  document.querySelector("main").innerHTML =
    `<${frame}><table class="table">${head}<tbody>${row.repeat(80)}</tbody></table></${frame.split(" ")[0]}>`;
}"""
SCROLLED = """async () => {
  const table = document.querySelector("main table"), frame = table.parentElement;
  const row = table.tBodies[0].rows[60];
  row.scrollIntoView({block: "center"});
  frame.scrollLeft = 9999;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const head = table.tHead.rows[0].cells[12].getBoundingClientRect(), outer = frame.getBoundingClientRect();
  const name = row.cells[0].getBoundingClientRect();
  return [frame.scrollLeft > 0, head.bottom > 0 && head.bottom <= row.getBoundingClientRect().top,
          Math.abs(name.left - outer.left) < 3, frame.clientHeight >= table.offsetHeight];
}"""


@pytest.mark.parametrize("width", [1280, 400])
def test_heads_and_names_stay_in_sight(live_server, alices_page: Page, project, width):
    alices_page.set_viewport_size({"width": width, "height": 720})
    alices_page.goto(f"{live_server.url}/p/{project.slug}/gates/")

    for frame in FRAMES:
        alices_page.evaluate(FILL, frame)
        scrolled, head, name, whole = alices_page.evaluate(SCROLLED)

        assert (scrolled, head, name, whole) == (True, True, True, True), frame


def test_the_name_of_a_group_of_rows_stays_in_sight_and_nothing_lies_on_it(
    live_server, alices_page: Page, project
):
    alices_page.set_viewport_size({"width": 700, "height": 720})
    alices_page.goto(f"{live_server.url}/p/{project.slug}/gates/")
    group = FILL.replace('<tr><th scope="row">', '<tr><th scope="rowgroup" rowspan="2">')
    alices_page.evaluate(
        group.replace('${cells("td")}</tr>`', '${cells("td")}</tr><tr>${cells("td")}</tr>`'), FRAMES[0]
    )

    scrolled, _, name, _ = alices_page.evaluate(SCROLLED)

    assert (scrolled, name) == (True, True)
    second = alices_page.locator("main tbody tr:nth-child(2) > td").first
    assert second.evaluate("cell => getComputedStyle(cell).position") == "static"
