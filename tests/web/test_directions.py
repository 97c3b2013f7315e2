"""Every place of a template that shows a text of users follows the direction of that text (`dir="auto"`)."""

from collections.abc import Callable, Collection
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Page

from evaluations.datasets import datasets
from evaluations.linear import Pattern

TEMPLATES = Path(__file__).parents[2] / "templates"
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

# Filters that draw texts of users, and last names of variables that hold one.
FILTERS = {"as_text", "clamped", "diff", "drawn", "in_short"}
NUMBERS = {"add", "count", "counted", "number", "price", "urlencode"}
OWN_WORDS = {"mark.text"}  # sentences of the program
NAMES = {
    *(
        "actual",
        "content",
        "example_text",
        "excerpt",
        "expected",
        "input",
        "output",
        "reasoning",
        "reference",
    ),
    *("inside", "partial", "snippet", "text", "texts", "needle"),
}
VARIABLE = Pattern(r"\{\{\s*([^}]*?)\s*\}\}")
TITLE = Pattern(r"(?s)\{% block title %\}.*?\{% endblock %\}")  # no markup there
TAG = Pattern(r"\{%[^%]*%\}|\{#[^#]*#\}")


def is_user_text(expression: str) -> bool:
    value, *filters = expression.split("|")
    if value in OWN_WORDS:
        return False
    used = {name.partition(":")[0].strip() for name in filters}
    return bool(FILTERS & used) or (value.strip().rpartition(".")[2] in NAMES and not used & NUMBERS)


# Pages that show names between words of the program. Links and bold or italic words isolate themselves (base.css).
OF_NAMES = ("reports/*.html", "projects/*home*.html", "uploads/upload_confirm.html", "uploads/*summary.html",
            "experiments/_experiment_table.html")  # fmt: skip
ISOLATED = {"a", "b", "i"}
IS_NAME = {"name", "variant", "filename", "column", "value", "project"}


def is_name(expression: str) -> bool:
    value, *filters = expression.split("|")
    used = {name.partition(":")[0].strip() for name in filters}
    is_figure = used & {*NUMBERS, "signed", "percent", "figure", "mean"}
    return value.strip().rpartition(".")[2] in IS_NAME and "." in value and not is_figure


class Places(HTMLParser):
    """The user texts of a template that no element around them gives a direction."""

    def __init__(
        self, finds: Callable[[str], bool] = is_user_text, isolated: Collection[str] = ("bdi",)
    ) -> None:
        super().__init__(convert_charrefs=True)
        self.finds, self.isolated = finds, isolated
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            is_own = ("dir", "auto") in attrs or tag in self.isolated or ("class", "id") in attrs
            self.open.append((tag, is_own))

    def handle_endtag(self, tag: str) -> None:
        if tag in [name for name, _ in self.open]:
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not any(directed for _, directed in self.open):
            self.found += [found[1] for found in VARIABLE.finditer(data) if self.finds(found[1])]


def undirected(source: str, places: Places | None = None) -> list[str]:
    places = places or Places()
    places.feed(TAG.sub("", TITLE.sub("", source)))
    places.close()
    return places.found


def test_texts_of_users_follow_their_own_direction():
    found = {path: undirected(path.read_text(encoding="utf-8")) for path in TEMPLATES.rglob("*.html")}

    assert found
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_names_between_words_are_isolated_from_them():
    found = {
        path: undirected(path.read_text(encoding="utf-8"), Places(is_name, {"bdi", *ISOLATED}))
        for pattern in OF_NAMES
        for path in TEMPLATES.glob(pattern)
    }

    assert len(found) > 10
    assert {path: names for path, names in found.items() if names} == {}
    base = (TEMPLATES.parent / "static/css/base.css").read_text(encoding="utf-8")
    assert ":is(a, b, i, .id) {\n    unicode-bidi: plaintext;" in base


def test_a_text_without_a_direction_is_found():
    assert undirected("<p>{{ row.output }}</p><p dir='auto'>{{ row.output }}</p>") == ["row.output"]
    assert undirected("<td>{% if a %}{{ cell|clamped:120 }}{% endif %}</td>") == ["cell|clamped:120"]
    assert undirected("<p>{{ row.number }}</p>") == []


class Cut(Places):
    """The user texts of cells that clip them (`clip`), without an element that cuts them behind their first words.

    What stands outside of such cells counts as safe.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open.append(("page", True))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = {*(dict(attrs).get("class") or "").split()}
        if "clip" in classes and tag in ("td", "th"):
            self.open = [(name, False) for name, _ in self.open] + [(tag, False)]
        elif tag not in VOID:
            self.open.append((tag, bool(classes & {"one-line", "two-lines"})))

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag in ("td", "th"):
            self.open[0] = ("page", True)


def test_cells_that_clip_a_text_cut_it_behind_its_first_words():
    found = {path: undirected(path.read_text(encoding="utf-8"), Cut()) for path in TEMPLATES.rglob("*.html")}

    assert {path: texts for path, texts in found.items() if texts} == {}
    assert undirected('<td class="clip" dir="auto">{{ row.input }}</td><td>{{ row.output }}</td>', Cut()) == [
        "row.input"
    ]


RIGHT_TO_LEFT = "يجب على المورد أن يسلّم البضاعة خلال ثلاثين يومًا من تاريخ الطلب. " * 2
FIRST_WORDS = """() => [...document.querySelectorAll("td")].filter((cell) => cell.clientWidth).map((cell) => {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (node) =>
    node.data.trim() ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP).nextNode();
  const start = text.data.search(/\\S/), range = document.createRange();
  range.setStart(text, start);
  range.setEnd(text, start + 12);
  const words = range.getBoundingClientRect(), box = cell.getBoundingClientRect();
  return words.left >= box.left - 1 && words.right <= box.right + 1;
})"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [1280, 400])
def test_a_row_shows_where_a_text_from_right_to_left_begins(
    live_server, alices_page: Page, project, alice, width
):
    texts = (RIGHT_TO_LEFT, f"Item 1 {RIGHT_TO_LEFT}")
    rows = [{"inputs": {"clause": text}, "reference": {"summary": text}} for text in texts]
    dataset = datasets.create(project, alice, "Clauses", rows)
    alices_page.set_viewport_size({"width": width, "height": 720})

    alices_page.goto(f"{live_server.url}/datasets/{dataset.pk}/")

    assert alices_page.evaluate(FIRST_WORDS) == [True] * (4 if width > 1000 else 2)
