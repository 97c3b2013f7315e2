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
