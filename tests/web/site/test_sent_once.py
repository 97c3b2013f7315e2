"""A form whose button is pressed again before the next page came is carried out once."""

from http.cookies import SimpleCookie
from threading import Thread
from time import sleep

import pytest
from django.core.cache import cache
from redis import RedisError

from evaluations.models import ApiKey, AuditEntry, Invitation, Prompt, Webhook
from evaluations.web.site import sent_once
from tests import factories
from tests.authorization.calls import WEBHOOK

PROMPT = {"do": "save", "name": "brief", "role": "user", "as": "text", "content": "Answer briefly."}


def drawn(text: str) -> dict[str, str]:
    """What a page as drawn adds to its forms."""
    return {"csrfmiddlewaretoken": text * 64}


def test_a_second_press_leads_to_what_the_first_created(alices, project):
    first, second = (alices.post(f"/p/{project.slug}/prompts/new/", PROMPT | drawn("a")) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 302)
    assert second["Location"] == first["Location"]
    assert Prompt.objects.count() == AuditEntry.objects.filter(action__startswith="prompt").count() == 1


def test_what_needs_no_name_is_not_made_twice(alices, alice, project):
    prompt = factories.prompt(project, "Answer briefly.", maker=alice)
    first, second = (alices.post(f"/prompts/{prompt.pk}/duplicate/", drawn("a")) for _ in range(2))
    assert second["Location"] == first["Location"]
    alices.post(f"/prompts/{prompt.pk}/duplicate/", drawn("b"))
    assert Prompt.objects.count() == 3


@pytest.mark.parametrize(
    ("address", "sent", "made"),
    [
        ("/p/default/webhooks/", WEBHOOK, Webhook),
        ("/p/default/invitations/", {"role": "viewer", "email": ""}, Invitation),
        ("/account/keys/", {"name": "nightly", "project": "{project}", "scope": "read"}, ApiKey),
    ],
)
def test_a_second_press_shows_the_secret_that_the_first_made(alices, project, address, sent, made):
    """The browser may have dropped the first answer; the second brings its cookie again."""
    form = {name: project.pk if value == "{project}" else value for name, value in sent.items()} | drawn("a")
    first = alices.post(address, form, follow=True).context["shown_once"]
    second = alices.post(address, form, follow=True).context["shown_once"]
    assert first == second
    assert made.objects.count() == 1


def test_the_same_name_from_a_new_page_is_refused(alices, project):
    alices.post(f"/p/{project.slug}/prompts/new/", PROMPT | drawn("a"))
    refused = alices.post(f"/p/{project.slug}/prompts/new/", PROMPT | drawn("b"))
    assert refused.status_code == 409
    assert "already exists" in refused.content.decode()


def test_a_refused_form_can_be_sent_again(alices, project):
    address = f"/p/{project.slug}/prompts/new/"
    assert alices.post(address, PROMPT | drawn("a") | {"name": ""}).status_code == 400
    assert alices.post(address, PROMPT | drawn("a") | {"name": ""}).status_code == 400
    assert alices.post(address, PROMPT | drawn("a")).status_code == 302


def test_a_second_press_waits_while_the_first_is_at_work():
    def answered() -> None:
        sleep(0.2)
        cache.set("sent:1", ("/prompts/1/", SimpleCookie()))

    assert sent_once._led_to("sent:1") is None
    thread = Thread(target=answered)
    thread.start()
    assert sent_once._led_to("sent:1") == ("/prompts/1/", SimpleCookie())
    thread.join()


def test_forms_are_carried_out_without_the_shared_cache(alices, project, monkeypatch):
    def gone(*args, **kwargs):
        raise RedisError("gone")

    monkeypatch.setattr(cache, "add", gone)
    assert alices.post(f"/p/{project.slug}/prompts/new/", PROMPT | drawn("a")).status_code == 302
