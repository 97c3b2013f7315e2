"""Every page of the site says by which call the API shows or does the same, or why there is none."""

import html
import re
import shlex

import pytest
from django.test import Client

from evaluations.access import api_keys
from evaluations.models import Scope
from tests.api.conftest import Program
from tests.pages import markup

from .calls import PAGES, filled

CALL = re.compile(r"<code id=\"[\w-]+\">(curl .*?)</code>", re.S)
# pages by which people come in, and that stand outside of the site's frame
WITHOUT = {
    "invitation-accept": "makes an account",
    "rater-join": "raters without an account have no key",
    "share-read": "readers without an account have no key",
    "signin": "signs in",
    "signin-link": "signs in",
    "signin-second": "signs in",
    "compare-report": "a file that is sent on",
    "error-codes": "the reference of the API",
    "manual": "documentation",
    "manual-page": "documentation",
}
PARTS = {"favicon", "healthz", "readyz", "metrics"}


@pytest.fixture
def signed_in(world) -> Client:
    client = Client()
    world.alice.is_superuser = world.alice.is_staff = True
    world.alice.save()
    client.force_login(world.alice)
    return client


def pages_of(world, client) -> dict[str, tuple[str, str]]:
    """Address and text of every page with the frame of the site, by the name of its route."""
    found = {}
    for name, address in PAGES.items():
        answer = client.get(filled(address, world.of_alice))
        if not answer.streaming and answer.status_code == 200 and "html" in answer["Content-Type"]:
            found[name] = (address, markup(answer))
    return {name: page for name, page in found.items() if "<html" in page[1] and name not in PARTS}


@pytest.fixture
def admin_key(world) -> Program:
    return Program(api_keys.create_key(world.project, world.alice, "reader", Scope.ADMIN)[1])


def test_every_page_shows_a_call_that_is_answered_or_says_why_there_is_none(world, signed_in, admin_key):
    pages, bad = pages_of(world, signed_in), {}
    without = {name for name, (_, text) in pages.items() if not CALL.search(text) and "api-call" not in text}

    for name, (_, text) in pages.items():
        for call in CALL.findall(text):
            if "$EVALSITE_URL" in call:
                continue  # of the reference, whose ids are to be filled in
            words = shlex.split(html.unescape(call))
            address = next(word for word in words if "/api/v1/" in word)
            if len(words) == 4 and (status := admin_key.get(address).status_code) not in (200, 204):
                bad[name] = (status, address)

    assert len(pages) > 80
    assert without == WITHOUT.keys() & pages.keys()
    assert bad == {}
