"""What a browser opens by itself is a whole page with a title, or leads to one; parts are for htmx alone."""

import pytest
from django.http import HttpResponse

from tests.authorization.calls import PAGE_WRITES, PAGES, filled

DO = ("adds", "draft", "preview", "show", "try")  # what htmx asks forms for


def is_whole(answer: HttpResponse) -> bool:
    is_page = answer.status_code not in (204, 302, 404) and answer.headers["Content-Type"].startswith(
        "text/html"
    )
    return not is_page or b"".join(answer).lstrip().lower().startswith(b"<!doctype html>")


@pytest.mark.parametrize("route", PAGES)
def test_every_address_answers_a_whole_page(alices, ids, route):
    assert is_whole(alices.get(filled(PAGES[route], ids)))


@pytest.mark.parametrize("route", PAGE_WRITES)
def test_every_form_answers_a_whole_page(alices, ids, route):
    path, body = PAGE_WRITES[route]
    usual = filled(body or {}, ids)

    for do in (usual.get("do", ""), *DO):
        assert is_whole(alices.post(filled(path, ids), {**usual, "do": do})), do
