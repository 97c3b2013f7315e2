"""The frame of pages, and partials shared by templates."""

import json
import re
from html import unescape
from types import SimpleNamespace

import pytest
from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.base import Message
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from tests.pages import compact, text_of

PROJECT = SimpleNamespace(pk=1, slug="support", name="Support <answers>")


def request(address: str = "/", **cookies: str):
    get_request = RequestFactory().get(address)
    get_request.COOKIES |= cookies
    get_request.user = AnonymousUser()
    return get_request


def page(template: str = "base.html", cookies: dict[str, str] | None = None, **context) -> str:
    return compact(render_to_string(template, context, request("/here/?a=1&b=2", **cookies or {})))


# ---- the frame ----


def test_a_page_has_no_inline_script_or_style():
    html = page(project=PROJECT, projects=[PROJECT], api_call="curl")

    assert not re.findall(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=", html)


def test_a_part_that_is_swapped_takes_no_style_of_a_field_that_was_drawn_larger():
    """The policy blocks the attribute, and the console of the browser fills with errors."""
    config = json.loads(
        unescape(re.search(r'name="htmx-config" content=(["\'])(.*?)\1', page(project=PROJECT))[2])
    )

    assert config["attributesToSettle"] == ["class", "width", "height"]


def test_every_static_file_of_a_page_exists():
    html = page(project=PROJECT)
    static_files = re.findall(r'(?:href|src)="/static/((?:css|js)/[\w.]+|[\w]+\.svg)', html)

    missing_files = [name for name in static_files if not (settings.STATICFILES_DIRS[0] / name).is_file()]

    assert len(set(static_files)) > 10
    assert missing_files == []


def test_every_template_loads_the_tags_that_it_uses():
    folder = settings.TEMPLATES[0]["DIRS"][0]
    for file in folder.rglob("*.html"):
        get_template(str(file.relative_to(folder)))


def test_every_icon_that_a_template_names_is_drawn():
    folder = settings.TEMPLATES[0]["DIRS"][0]
    sources = "".join(template.read_text() for template in folder.rglob("*.html"))
    icons_used = set(re.findall(r'{% icon "([^"]+)"', sources))

    icons_drawn = set(
        re.findall(r'<symbol id="(\w+)"', (settings.STATICFILES_DIRS[0] / "icons.svg").read_text())
    )

    assert icons_used
    assert icons_used <= icons_drawn


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chosen_theme_is_there_from_the_first_paint(theme):
    html = page(cookies={"theme": theme})

    assert f'<html lang="en" data-theme="{theme}">' in html
    assert f'value="{theme}" aria-describedby="theme" aria-pressed="true"' in html


@pytest.mark.parametrize("theme", ["system", '"><script>', ""])
def test_any_other_theme_is_the_system_s(theme):
    html = page(cookies={"theme": theme})

    assert '<html lang="en">' in html
    assert 'value="system" aria-describedby="theme" aria-pressed="true"' in html


def test_choosing_a_theme_leads_back_to_the_same_view():
    assert '<input type="hidden" name="next" value="/here/?a=1&amp;b=2">' in page()


def test_the_navigation_says_where_you_are():
    html = page(project=PROJECT, nav="datasets")

    assert re.findall(r'<a href="([^"]+)" data-key="g \w" aria-current="page">', html) == [
        "/p/support/datasets/"
    ]


def test_the_switcher_lists_the_projects_and_marks_this_one():
    second = SimpleNamespace(pk=2, slug="maths", name="Maths")

    html = page(project=PROJECT, projects=[PROJECT, second])

    assert '<a href="/p/support/experiments/" aria-current="true">Support &lt;answers&gt;</a>' in html
    assert '<a href="/p/maths/experiments/">Maths</a>' in html


def test_a_page_outside_of_projects_has_no_navigation():
    html = page()

    assert "<nav" not in html
    assert 'id="palette"' not in html


def test_signing_out_is_a_post():
    html = page(user=SimpleNamespace(is_authenticated=True, first_name="Ada", get_username="ada"))

    assert re.search(
        r'<form method="post" action="/signout/"><input type="hidden" name="csrfmiddlewaretoken"', html
    )


def test_the_token_is_sent_with_every_htmx_request():
    assert re.search(r"<body hx-headers='{\"X-CSRFToken\": \"\w{64}\"}'>", page())


def test_a_message_with_an_address_can_be_undone():
    deleted = Message(20, "Dataset <faq> was deleted.", extra_tags="/datasets/3/restore/")

    html = page("kit/_messages.html", messages=[deleted])

    assert "Dataset &lt;faq&gt; was deleted." in html
    assert '<form class="undo" method="post" action="/datasets/3/restore/">' in html


def test_a_view_as_an_api_call_can_be_copied():
    html = page(api_call="curl 'x' <y>")

    assert '<code id="api-call">curl &#x27;x&#x27; &lt;y&gt;</code>' in html
    assert 'data-copy-of="api-call"' in html


@pytest.mark.parametrize("status", ["400", "403", "403_csrf", "404", "500", "503"])
def test_an_error_page_needs_neither_request_nor_database(status):
    html = render_to_string(f"{status}.html")

    assert "<h1" in html
    assert 'href="/"' in html


def test_an_error_page_names_the_request():
    get_request = request()
    get_request.id = "req-7"

    assert "req-7" in render_to_string("404.html", {}, get_request)


# ---- shared pieces ----


class Upload(forms.Form):
    name = forms.CharField(help_text="Shown in lists")
    strict = forms.BooleanField(required=False)


def test_a_field_is_described_by_its_hint_and_its_error():
    form = Upload({})
    form.is_valid()

    html = form["name"].as_field_group()

    assert 'aria-describedby="id_name_helptext id_name_error"' in html
    assert 'id="id_name_helptext"' in html
    assert 'id="id_name_error"' in html
    assert 'aria-invalid="true"' in html


def test_a_checkbox_stands_in_its_label():
    html = Upload()["strict"].as_field_group()

    assert re.search(
        r'<label class="check" for="id_strict"><input type="checkbox"[^>]*>\s*Strict</label>', html
    )


def test_a_pager_at_the_end_has_no_next_page():
    context = {"previous": "?page=1", "next": None, "first": 51, "last": 60, "total": 60}

    html = compact(render_to_string("kit/_pager.html", context))

    assert 'href="?page=1" rel="prev"' in html
    assert 'rel="next"' not in html
    assert "51 to 60 of 60" in text_of(html)


def test_a_list_of_several_pages_has_a_pager_that_names_its_items():
    context = {"items": "gates", "page": {"previous": None, "next": "?after=7"}}

    html = compact(render_to_string("kit/_list_pager.html", context))

    assert 'aria-label="Pages of gates"' in html
    assert 'href="?after=7" rel="next"' in html


def test_a_list_of_one_page_has_no_pager():
    assert render_to_string("kit/_list_pager.html", {"page": {}}).strip() == ""


def test_steps_say_which_is_done_and_which_is_current():
    html = compact(
        render_to_string("kit/_steps.html", {"steps": ["File", "Columns", "Confirm"], "current": 2})
    )

    assert '<li aria-current="step">2 Columns</li>' in html
    assert text_of(html) == "done: File 2 Columns 3 Confirm"


def test_an_error_has_message_location_and_remedy():
    error = {"code": "unclosed", "message": "A quote <is> open.", "hint": "Close it.", "where": {"line": 41}}

    html = text_of(render_to_string("kit/_error.html", {"error": error}))

    assert html == "A quote <is> open. Close it. Line 41. What this means"
