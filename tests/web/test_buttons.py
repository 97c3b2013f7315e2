"""The main button has its place: first below the fields of a form, last in the bar at the foot of a window."""

import re
from collections.abc import Iterator
from pathlib import Path

TEMPLATES = Path(__file__).parents[2] / "templates"
ACTIONS = re.compile(r'<(p|div) class="actions[^"]*">(?P<content>.*?)</\1>', re.S)
BUTTON = re.compile(r'<(?:button|a)\b[^>]*class="[^"]*\bbutton\b[^"]*"[^>]*>|\{% post_button [^%]*%\}', re.S)
BAR = '<div class="finish">'


def misplaced(source: str) -> Iterator[str]:
    """The rows of buttons in forms, and in bars, whose main button is not at its place."""
    for row in ACTIONS.finditer(source):
        before = source[: row.start()]
        form = before.rpartition("<form")[2]
        if "<form" not in before or "</form>" in form:
            continue  # buttons of a page, which are no form's
        buttons = [button[0] for button in BUTTON.finditer(row["content"])]
        are_main = ["button-main" in button or 'style="main"' in button for button in buttons]
        is_bar = BAR in form or "page-head" in form
        if any(are_main) and not are_main[-1 if is_bar else 0]:
            yield " ".join(row["content"].split())


def test_the_main_button_of_every_form_is_at_its_place():
    found = {path: list(misplaced(path.read_text(encoding="utf-8"))) for path in TEMPLATES.rglob("*.html")}

    assert {path: rows for path, rows in found.items() if rows} == {}


def test_a_misplaced_button_is_found():
    buttons = '<a class="button">Back</a><button class="button button-main">Save</button>'

    assert list(misplaced(f'<form><p class="actions">{buttons}</p></form>'))
    assert not list(misplaced(f'<form>{BAR}<div class="actions">{buttons}</div></div></form>'))
