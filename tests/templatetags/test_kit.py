"""The page kit: each component by itself, and axe on all of them in both themes."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.template import engines
from django.test import RequestFactory
from playwright.sync_api import Page

from evaluations.errors import Invalid
from evaluations.models import Dataset
from evaluations.short_texts import shortened
from evaluations.templatetags.sheets import SHEETS
from evaluations.web.forms.form import Form
from tests.pages import compact, text_of

ROW = Dataset(pk=7, name="refunds & returns")
COMPONENTS = {
    "head": '{% page_head "Gates" up="Support" to="gate-list" of="support" facts="Before it ships" %}'
    '<div class="actions"><a class="button" href="/new/">New gate</a></div>{% endpage_head %}',
    "table": '{% table "Gates" "Name, Runs:number, Actions:unseen" caption="Gates, newest first" %}'
    '<tr><th scope="row">ship it</th><td class="number">3</td><td></td></tr>{% endtable %}',
    "post button": '{% post_button "gate-delete" 4 style="button button-bare" spoken="Delete" about=row.name %}'
    "Delete{% endpost_button %}",
    "ask first": '{% ask_first "Delete" "gate-delete" 4 style="bare" spoken="Delete" about=row.name %}'
    "Its checks go as well.{% endask_first %}",
    "menu": '{% menu "More" "more" of=row end=True %}<a href="/a/">Rename</a>{% endmenu %}',
    "notice": '{% notice "Nothing was imported." level="error" %}Fix the file.{% endnotice %}',
    "empty state": '{% empty_state "No gates yet" url="/new/" action="New gate" %}A gate compares.{% endempty_state %}',
    "gauge": '<dl class="gauges">{% gauge "Answers" done=2 total=5 note="3 left" %}<b>2</b> of 5{% endgauge %}</dl>',
    "drawer": '<aside class="drawer" aria-labelledby="drawer-name"><header class="drawer-head">'
    '{% include "kit/drawer_head.html" with name="k1" rank=2 total=9 before="?row=1" after="?row=3" close="?" %}'
    "</header></aside>",
    "pager": '{% include "kit/_pager.html" with next="?after=5" first=1 last=5 total=9 items="gates" %}',
    "filters": '{% filters hidden=kept at_once=True searches=True button="Show" %}<label>Sort <select class="select" '
    'name="sort"><option>name</option></select></label>{% find "ship" "Find in texts" %}{% endfilters %}',
    "form": '<form class="form" method="post">{{ form }}</form>',
    "form with help beside it": '<div class="pair"><form class="form" method="post">{{ form }}</form>'
    '{% beside "What is known" %}<dl class="properties"><dt>Runs</dt><dd>3</dd></dl>{% endbeside %}</div>',
}


class Gate(Form):
    name = forms.CharField(help_text="Unique in the project")


def drawn(component: str, **context) -> str:
    refused = Gate({"name": "ship it"})
    refused.do(lambda: _refuse())
    template = engines["django"].from_string(COMPONENTS.get(component, component))
    request = RequestFactory().get("/gates/")
    request.user = AnonymousUser()
    return template.render({"row": ROW, "form": refused, "kept": [("version", 2)], **context}, request)


def _refuse():
    raise Invalid(
        "name_taken", "Another gate has this name.", fields={"name": ["Another gate has this name."]}
    )


def test_what_is_spoken_of_a_button_begins_with_what_is_seen():
    """Somebody who speaks to the browser says the words in sight (WCAG 2.5.3)."""
    pages = Path(settings.TEMPLATES[0]["DIRS"][0]).rglob("*.html")
    buttons = [
        (path.name, *found)
        for path in pages
        for found in re.findall(
            r'{% post_button [^%]*spoken="([^"]*)"[^%]*%}([\w\s-]+){% endpost_button', path.read_text()
        )
    ]

    assert buttons
    assert [button for button in buttons if " ".join(button[2].split()) not in button[1]] == []


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_has_no_serious_violation(page: Page, component):
    folder = settings.STATICFILES_DIRS[0] / "css"
    style = "".join((folder / f"{name}.css").read_text() for name in SHEETS)
    body = f"<main><h1 class='unseen'>Kit</h1>{drawn(component)}</main>"
    page.set_content(f"<!doctype html><html lang='en'><title>Kit</title><style>{style}</style>{body}")
    rules = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    off = {
        "target-size": {"enabled": True},
        "label-content-name-mismatch": {"enabled": True},
    }  # by themselves

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # else colours are on their way
        answer = Axe().run(page, options={"resultTypes": ["violations"], "runOnly": rules, "rules": off})
        assert [(found["id"], found["nodes"][0]["html"]) for found in answer.response["violations"]] == []


@pytest.mark.parametrize(
    "component",
    [
        *(
            "page-head",
            "section-head",
            "drawer",
            "with-drawer",
            "drawer-head",
            "drawer-scores",
            "pair",
            "beside",
        ),
        *("scroll-narrow", "gauge", "gauges", "pager", "notice", "menu", "filters"),
    ],
)
def test_a_component_is_styled_by_one_sheet(component):
    folder = settings.STATICFILES_DIRS[0] / "css"
    named = re.compile(rf"\.{component}(?![\w-])")

    sheets = [path.name for path in folder.glob("*.css") if named.search(path.read_text())]

    assert len(sheets) == 1, sheets


def test_a_head_leads_to_the_page_above():
    html = compact(drawn("head"))

    assert '<h1><a class="up" href="/p/support/gates/">Support</a>Gates</h1>' in html
    assert '<p class="facts"><span>Before it ships</span></p>' in html


def test_a_column_that_only_screen_readers_need_is_unseen():
    html = compact(drawn("table"))

    assert '<th scope="col" class="number">Runs</th>' in html
    assert '<th scope="col"><span class="unseen">Actions</span></th>' in html


def test_a_post_button_sends_hidden_fields_and_names_what_it_changes():
    html = compact(
        drawn('{% post_button "/undo/" spoken="Undo" about=row.name label=row.pk %}Undo{% endpost_button %}')
    )

    assert 'method="post" action="/undo/"' in html
    assert "csrfmiddlewaretoken" in html
    assert '<input type="hidden" name="label" value="7">' in html
    assert 'aria-label="Undo refunds &amp; returns"' in html


def test_filters_keep_what_they_do_not_ask_and_work_without_a_script():
    html = compact(drawn("filters"))

    assert '<form class="bar" method="get" action="/gates/" role="search" data-apply>' in html
    assert '<input type="hidden" name="version" value="2">' in html
    assert (
        'name="q" value="ship" placeholder="Find in texts" aria-label="Find in texts" maxlength="200"' in html
    )
    assert '<button class="button without-script">Show</button>' in html


def test_menus_of_rows_do_not_share_an_id():
    html = compact(drawn("menu"))

    assert 'popovertarget="more-7" aria-label="More for refunds &amp; returns"' in html
    assert 'id="more-7" popover' in html


def test_what_cannot_be_undone_says_what_is_lost_before_the_form_that_does_it():
    html = compact(drawn("ask first"))

    assert html.index('popovertarget="ask-gates-4-delete"') < html.index('id="ask-gates-4-delete" popover')
    assert html.index("Its checks go as well.") < html.index('method="post" action="/gates/4/delete/"')
    assert (
        html.count('aria-label="Delete refunds &amp; returns"') == 3
    )  # the button, the question, its button


@pytest.mark.parametrize(
    "act",
    [
        *("webhook-delete", "labeltask-close", "labeltask-forget", "labeltask-rater-remove", "member-remove"),
        *("labeltask-link-remove", "invitation-withdraw", "revoke_url"),
    ],
)
def test_an_act_without_undo_is_asked_about_first(act):
    pages = Path(settings.TEMPLATES[0]["DIRS"][0]).rglob("*.html")
    tags = [
        tag for path in pages for tag in re.findall(rf'{{% (\w+) [^%]*"?{act}"?[^%]*%}}', path.read_text())
    ]

    assert "ask_first" in tags
    assert "post_button" not in tags


@pytest.mark.parametrize(("level", "role"), [("error", "alert"), ("info", "note")])
def test_an_error_is_read_at_once(level, role):
    html = compact(drawn(f'{{% notice level="{level}" %}}Words.{{% endnotice %}}'))

    assert f'role="{role}" data-level="{level}"' in html


def test_an_action_is_offered_only_to_those_who_may_do_it():
    empty = '{% empty_state "None" url="/new/" action="New gate" needs="write" %}Words.{% endempty_state %}'

    assert "New gate" in drawn(empty, may={"write"})
    assert "New gate" not in drawn(empty, may=set())


def test_every_empty_page_with_an_action_leads_to_the_manual():
    [folder] = settings.TEMPLATES[0]["DIRS"]
    tags = [
        tag
        for path in Path(folder).rglob("*.html")
        for tag in re.findall(r"{% empty_state .*?%}", path.read_text())
        if "url=" in tag and "project" not in tag
    ]
    pages = {name for tag in tags for name in re.findall(r'docs="([\w-]+)"', tag)}

    assert len(tags) > 8
    assert [tag for tag in tags if "docs=" not in tag] == []
    assert {name for name in pages if not (settings.DOCS_DIR / f"{name}.md").is_file()} == set()
    assert "/docs/gate/" in drawn('{% empty_state "None" docs="gate" %}Words.{% endempty_state %}')


def test_a_form_shows_a_refusal_at_its_field():
    html = drawn("form")

    assert "Another gate has this name." in text_of(html)
    assert 'aria-invalid="true"' in html


def test_a_sentence_of_the_kit_holds_no_paragraph():
    """Notices and empty states are paragraphs themselves; browsers end a paragraph where another begins."""
    sentence = re.compile(r"{% (notice|empty_state)\b.*?%}(.*?){% end\1 %}", re.DOTALL)
    block = re.compile(r"<(p|ul|ol|div|form|dl|pre|table|details)\b")
    [folder] = settings.TEMPLATES[0]["DIRS"]

    nested = [
        path.name
        for path in Path(folder).rglob("*.html")
        for _, text in sentence.findall(path.read_text())
        if block.search(text)
    ]

    assert nested == []


def test_items_of_menus_have_no_icons_so_that_all_begin_at_one_edge():
    menus = re.compile(r"{% menu .*?{% endmenu %}", re.DOTALL)
    templates = Path(settings.TEMPLATES[0]["DIRS"][0]).rglob("*.html")

    assert not [
        path.name for path in templates for menu in menus.findall(path.read_text()) if "{% icon" in menu
    ]


def test_a_text_is_cut_in_one_way():
    templates = Path(settings.TEMPLATES[0]["DIRS"][0]).rglob("*.html")

    modules = (Path(settings.TEMPLATES[0]["DIRS"][0]).parent / "evaluations").rglob("*.py")

    assert [path.name for path in templates if "truncatechars" in path.read_text()] == []
    assert [path.name for path in modules if "Truncator" in path.read_text()] == []
    assert shortened("It is wrong. It is late.", 13) == "It is wrong…"
    assert shortened("It is wrong.", 12) == "It is wrong."
