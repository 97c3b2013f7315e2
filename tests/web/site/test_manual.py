"""The documentation inside the app: pages, anchors, search."""

import re

import pytest
from django.conf import settings
from playwright.sync_api import expect

from evaluations.web.site import manual
from tests.pages import markup

pytestmark = pytest.mark.django_db


@pytest.mark.long
def test_every_document_is_a_page_that_the_index_links(alices):
    index = markup(alices.get("/docs/"))
    documents = {file.stem for file in settings.DOCS_DIR.glob("*.md")} - {"index"}

    assert documents == {name for name in documents if f'href="/docs/{name}/"' in index}
    assert {alices.get(f"/docs/{name}/").status_code for name in documents} == {200}


def test_links_show_titles_of_documents_and_no_file_names():
    html = manual.page_of("index").html

    assert '<a href="/docs/retention/">Retention</a>' in html
    assert ".md</a>" not in html


def test_every_link_between_documents_has_a_target():
    pages = {name: manual.page_of(name).html for name in manual.names()}
    links = [link for html in pages.values() for link in re.findall(r'href="/docs/([\w-]+)/#([^"]+)"', html)]

    missing_targets = [(name, anchor) for name, anchor in links if f'id="{anchor}"' not in pages[name]]

    assert links
    assert missing_targets == []


def test_no_link_leads_to_a_file_outside_the_documents():
    links = {
        link for name in manual.names() for link in re.findall(r'href="([^"]+)"', manual.page_of(name).html)
    }

    assert links
    assert [link for link in links if not re.match("https?://|/|#", link)] == []


def test_every_block_of_code_scrolls_by_keyboard():
    blocks = [
        block for name in manual.names() for block in re.findall(r"<pre[^>]*>", manual.page_of(name).html)
    ]

    assert blocks
    assert all('tabindex="0"' in block and "aria-label=" in block for block in blocks)


def test_every_block_of_code_can_be_copied():
    html = manual.page_of("judges").html

    assert html.count("<pre") == html.count("data-copy-of=") > 3
    assert re.search(r'<pre id="code-2"[^>]*><code.*?</pre>\s*<button[^>]* data-copy-of="code-2"', html, re.S)


def test_the_cells_of_a_wide_table_are_named_for_a_phone_and_short_ones_stay_unbroken():
    table = re.search(r'<table class="table stacks">.*?</table>', manual.page_of("evaluators").html, re.S)
    assert table is not None
    row = table[0].split("<tr>")[2]

    assert '<th scope="row"><a href="#levenshtein-similarity">' in row
    assert re.search(r'<td class="whole">Short texts', row)
    assert '<td data-name="verdict by default">at\N{NO-BREAK SPACE}least\N{NO-BREAK SPACE}0.7</td>' in row


def test_a_table_of_long_names_gives_them_a_line_of_their_own_on_a_phone():
    table = manual.page_of("configuration").html

    assert '<table class="table stacks named">' in table
    assert '<th scope="row"><code>EVALSITE_WORKERS</code></th>' in table
    assert '<td data-name="default">one for each core</td>' in table


def test_a_narrow_table_stays_a_table():
    assert "stacks" not in manual.page_of("glossary").html


def test_every_head_of_a_table_names_its_column():
    heads = [
        head
        for name in manual.names()
        for head in re.findall(r"<th\b.*?</th>", manual.page_of(name).html, re.S)
    ]

    assert heads
    assert [
        head
        for head in heads
        if not re.match('<th scope="(col|row)"', head) or re.fullmatch(r"<th[^>]*>\s*</th>", head)
    ] == []


def test_a_long_document_shows_its_chapters_closed_and_a_link_into_one_opens_it(alices_page, live_server):
    alices_page.goto(f"{live_server.url}/docs/evaluators/")
    assert alices_page.evaluate("document.documentElement.scrollHeight") < 5_000

    alices_page.get_by_role("navigation", name="Documentation").get_by_role("link", name="Token F1").click()

    expect(alices_page.get_by_text("Twice the shared words")).to_be_visible()


@pytest.mark.parametrize("name", ["comparison", "api"])
def test_a_document_that_is_searched_rather_than_read_begins_with_its_chapters_closed(alices, name):
    assert alices.get(f"/docs/{name}/").content.decode().count("<details>") > 10


@pytest.mark.parametrize(
    ("image", "kind"), [("experiment.png", "image/png"), ("verdict.svg", "image/svg+xml")]
)
def test_images_of_documents_are_served_as_what_they_are(alices, image, kind):
    assert alices.get(f"/docs/{image}").headers["Content-Type"] == kind
    assert alices.get(f"/docs/{image}x").status_code == 404


def test_a_phone_has_the_contents_of_a_page_behind_a_title_and_a_wide_window_has_them_open(alices):
    page = markup(alices.get("/docs/evaluators/"))
    fold = page[page.index("<summary>On this page") :]

    assert 'href="#exact-match"' in fold[: fold.index("</details>")]


def test_search_finds_sections_that_hold_every_word(alices):
    answer = alices.get("/docs/?q=EVALSITE_LEASE+seconds")

    assert answer.context["hits"]
    assert all("lease" in section.text.lower() for section, _ in answer.context["hits"])


def test_what_search_shows_is_free_of_markup():
    texts = [section.text for name in manual.names() for section in manual.page_of(name).sections]

    assert [text for text in texts if re.search(r"\]\(\w+\.md", text)] == []
    assert not any("*More*" in text for text in texts)


def test_a_word_in_a_heading_counts_most():
    first, _ = manual.search("glossary")[0]

    assert (first.page, first.anchor) == ("glossary", "glossary")


def test_search_without_a_match_offers_all_pages(alices):
    answer = alices.get("/docs/?q=zzzzz")

    assert answer.context["hits"] == []
    assert 'href="/docs/"' in markup(answer)


@pytest.mark.parametrize("query", ["<script>alert(1)</script>", '"><b>'])
def test_the_searched_text_is_escaped(alices, query):
    html = markup(alices.get("/docs/", {"q": query}))

    assert query not in html


def test_a_snippet_escapes_the_text_and_marks_the_words():
    assert manual.snippet("a <b> lease", ["lease"]) == "a &lt;b&gt; <mark>lease</mark>"


@pytest.mark.parametrize("path", ["/docs/nothing/", "/docs/nothing.png"])
def test_a_page_that_does_not_exist_is_404(alices, path):
    assert alices.get(path).status_code == 404


def test_every_table_has_a_caption_that_names_its_chapter():
    html = [manual.page_of(name).html for name in manual.names()]

    assert {caption for page in html for caption in re.findall(r"<table[^>]*>(<caption)?", page)} == {
        "<caption"
    }


def test_each_term_of_the_glossary_can_be_linked_once():
    ids = re.findall(r'<tr id="([^"]+)"', manual.page_of("glossary").html)

    assert {"reference", "role-of-a-column"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_index_says_where_to_start(alices):
    assert "start here" in markup(alices.get("/docs/"))
