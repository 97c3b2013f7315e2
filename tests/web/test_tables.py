"""Tables that screen readers can name and move in: names, heads with a scope, and frames that scroll by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "templates"
SCROLLS = re.compile(r'<\w+[^>]*class="[^"]*\bscroll(?:-narrow)?\b[^"]*"[^>]*>')


def faults(source: str) -> Iterator[str]:
    for table in re.finditer(r"<table\b[^>]*>.*?(?=</table>|\Z)", source, re.S):
        head = table[0].partition(">")[0]
        if "<caption" not in table[0] and "aria-label" not in head:
            yield "a table without a name"
    yield from (f"no scope: {head}" for head in re.findall(r"<th\b[^>]*>", source) if "scope=" not in head)
    for frame in SCROLLS.findall(source):
        if "tabindex" not in frame or "aria-label" not in frame:
            yield f"no keyboard or no name: {frame}"


def test_every_table_of_a_template_has_a_name_heads_and_a_frame_for_the_keyboard():
    found = {path: list(faults(path.read_text(encoding="utf-8"))) for path in TEMPLATES.rglob("*.html")}

    assert found
    assert {path: kinds for path, kinds in found.items() if kinds} == {}


def test_each_fault_is_found():
    assert len(list(faults('<div class="scroll"><table><tr><th>x</th></tr></table></div>'))) == 3
    assert not list(faults('<table aria-labelledby="x"><tr><th scope="col">x</th></tr></table>'))


STACKED = re.compile(
    r'(?:\{% table [^%]*style="[^"]*\bstacks\b|<table [^>]*class="[^"]*\bstacks\b).*?(?:\{% endtable %\}|</table>)',
    re.S,
)
NUMBER = re.compile(r'<td\b(?P<attributes>[^>]*class="[^"]*\bnumber\b[^>]*)>(?P<content>.*?)</td>', re.S)


def with_parts(source: str) -> str:
    """The source with the templates that it includes."""
    return re.sub(
        r'\{% include "([^"]+)"[^%]*%\}',
        lambda part: with_parts((TEMPLATES / part[1]).read_text(encoding="utf-8")),
        source,
    )


def numbers_alone(source: str) -> Iterator[str]:
    """The numbers of a source's tables that stand without their head, or a word, once a phone hides the heads."""
    for table in STACKED.findall(with_parts(source)):
        for attributes, content in NUMBER.findall(table):
            if "{{" in content and not re.search(
                "data-name|data-unit|ago|<button|post_button|ask_first|<a ", attributes + content
            ):
                yield " ".join(content.split())


def test_a_number_in_a_table_that_becomes_a_list_on_a_phone_says_there_what_it_is():
    sources = {path.name: path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html")}
    tables = [source for source in sources.values() if STACKED.search(source)]

    assert len(tables) > 20
    assert {
        name: list(numbers_alone(source)) for name, source in sources.items() if [*numbers_alone(source)]
    } == {}
