"""Markdown is rendered from an allowed list: nothing is loaded, nothing is a link, and no text becomes a tag."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.reading.markup import blocks_between, html_of, sources, summary, words
from evaluations.reading.reading import compare, read

ALLOWED = {
    *("p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "ins", "del"),
}
PIECES = [
    "*",
    "**",
    "_",
    "`",
    "```",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "|",
    "-",
    " ",
    "a",
    "b",
    "<b>",
    "&",
    "# ",
    "> ",
    "~~",
]
SOURCES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


class Tags(HTMLParser):
    """The tags of a page in order; `open` is empty when each was closed in its place."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.attributes, self.crossed = [], set(), set(), False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes.update(attrs)
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.crossed = True


def test_nothing_hostile_survives():
    html = html_of(
        "<script>x</script> [a](javascript:x) ![b](http://c/d.png) <http://e> <img src=x onerror=y>\n\n"
        '[f]: http://g\n\n[f]\n\n# <b>h</b>\n\n```js"><i>\n</code><i>\n```'
    )

    tags = Tags(html)
    assert tags.seen <= ALLOWED
    assert tags.attributes <= {("class", "rendered-head")}
    assert "![b](http://c/d.png)" in html


def test_a_table_a_list_and_code_are_drawn():
    reading = read("**Team** fits:\n\n| Plan | Seats |\n|---|---:|\n| Solo | 1 |\n\n- a\n- `b`\n")

    assert reading.form.kind == "markdown"
    html = "".join(block.html for block in reading.blocks)
    assert "<th>Seats</th>" in html
    assert "<li><code>b</code></li>" in html
    assert "style" not in html


def test_changed_words_are_marked_in_the_rendered_text():
    older = "| Plan | Price |\n|---|---|\n| Team | 96 EUR |\n\nThe end of **it**.\n"

    after = compare(older, older.replace("96", "69"))[1]

    assert "<td><del>96</del><ins>69</ins> EUR</td>" in after.blocks[0].html
    assert [block.tag for block in after.blocks] == ["replace", "equal"]
    assert after.summary == "changes in 1 of 2 blocks"


def test_a_change_of_code_stays_in_its_block():
    older, newer = "```python\na + b\n```", "```python\na - b\n```"

    [block] = blocks_between(older, newer)

    assert block.html == "<pre><code>a <del>+</del><ins>-</ins> b\n</code></pre>"
    [fence] = blocks_between(older, "```py\na + b\n```")  # only the fence itself differs
    assert "<pre><code>```<del>python</del><ins>py</ins>\n" in fence.html


def test_code_in_a_fence_is_compared_with_the_same_code_outside_of_one():
    older = "Use **this**:\n\n```python\narea = pi * r * r\n```"
    newer = "Use **this**:\n\narea = pi * r * 2"

    assert (
        blocks_between(older, newer)[1].html
        == "<pre><code>area = pi * r * <del>r\n</del><ins>2</ins></code></pre>"
    )


def test_a_change_of_the_markup_itself_is_shown_in_the_source():
    [block] = blocks_between("> one\n> two\n> three", "> one\n> three")

    assert block.changes
    assert not block.html


def test_a_changed_list_stays_a_list_with_its_changes_inside_the_items():
    [block] = blocks_between("1. a cat\n2. gone\n3. **end**", "1. a dog\n2. **end**\n3. new")

    items = ["a <del>cat</del><ins>dog</ins>", "<del>gone</del>", "<strong>end</strong>", "<ins>new</ins>"]
    assert block.html.split() == "".join(["<ol>", *(f" <li>{item}</li> " for item in items), "</ol>"]).split()


@given(SOURCES, SOURCES)
def test_every_tag_is_allowed_and_closed_in_its_place(older, newer):
    tags = Tags("".join(block.html for block in blocks_between(older, newer)))

    assert not tags.crossed
    assert not tags.open
    assert tags.seen <= ALLOWED


def test_words_that_become_bold_are_compared_without_their_marks():
    [block] = blocks_between("Short answer: you have 30 days.", "You see: you have **30 days** now.")

    assert "*" not in "".join(text for change in block.changes or () for text in change[1:3]) + block.html
    assert "<ins>" in block.html


def test_what_only_became_bold_is_shown_as_it_was_and_as_it_is():
    old, new = blocks_between("You have 30 days.", "You have **30 days**.")

    assert (old.tag, new.tag) == ("delete", "insert")
    assert "<strong>30 days</strong>" in new.html


def test_words_of_markdown_are_one_line_without_marks():
    source = (
        "### Answer\n\nYou have **30 days** and `x_y`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two"
    )

    assert words(source) == "Answer You have 30 days and x_y. a b 1 2 one two"


@pytest.mark.parametrize("text", ["71*2 is 142, and 397*12 is 4764.", "a*b*c", "(3)*(4)*5"])
def test_an_asterisk_between_two_values_is_one(text):
    assert html_of(text) == f"<p>{text}</p>\n"


def test_the_sign_before_the_answer_of_a_sum_stays():
    assert ">#### 1,234<" in html_of("So it is:\n#### 1,234")
    assert "#" not in html_of("#### In short")


def test_the_likest_of_several_blocks_stands_beside_what_replaces_them():
    working = "First, 22 boxes.\n\n1. multiply by 11\n2. add nothing\n\n**Answer: 242**"

    shorter = blocks_between(working, "Answer: 245")
    longer = blocks_between("Answer: 245", working)

    assert [block.tag for block in shorter] == ["delete", "delete", "replace"]
    assert "Answer: <del>242</del><ins>245</ins>" in shorter[-1].html
    assert summary(shorter) == "1 block changed, 2 removed"
    assert [block.tag for block in longer] == ["insert", "insert", "replace"]
    assert summary(longer) == "1 block changed, 2 added"


@given(SOURCES, SOURCES)
def test_every_block_of_both_texts_is_in_their_changes_once(older, newer):
    found = blocks_between(older, newer)

    tags = [block.tag for block in found]
    kept = tags.count("equal") + tags.count("replace")
    assert kept + tags.count("delete") == len(sources(older))
    assert kept + tags.count("insert") == len(sources(newer))
