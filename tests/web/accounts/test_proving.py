"""Dangerous acts ask again who one is; sessions are bounded, listed and ended; pages are not stored."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluations.access import sessions
from evaluations.models import ApiKey, Invitation, Project, Session
from tests.pages import text_of

PASSWORD = "alice's long password"


def grow_old(client: Client) -> Client:
    """The client's last confirmation is 16 minutes ago."""
    session = client.session
    session[sessions.CONFIRMED] -= sessions.CONFIRMED_FOR + 60
    session.save()
    return client


@pytest.fixture
def stale(alices: Client) -> Client:
    return grow_old(alices)


def test_a_project_is_deleted_only_with_the_password_again(stale, project):
    asked = stale.post(f"/p/{project.slug}/delete/", {"typed": project.name})

    assert asked.status_code == 403
    assert "Confirm that it is you" in text_of(asked)
    assert f'name="typed" value="{project.name}"' in asked.content.decode()
    assert Project.objects.get(pk=project.pk).deleted_at is None

    wrong = {"typed": project.name, "confirm-password": "wrong", "confirm-code": "", "confirm-passkey": ""}
    assert stale.post(f"/p/{project.slug}/delete/", wrong).status_code == 403
    assert Project.objects.get(pk=project.pk).deleted_at is None

    done = stale.post(f"/p/{project.slug}/delete/", wrong | {"confirm-password": PASSWORD})

    assert done.status_code == 302
    assert Project.objects.get(pk=project.pk).deleted_at is not None


@pytest.mark.parametrize(
    ("address", "sent"),
    [
        ("/account/keys/", {"name": "nightly", "project": "1", "scope": "read"}),
        ("/account/app/", {"code": "123456"}),
        ("/account/codes/", {}),
        ("/account/factors/1/remove/", {}),
        ("/p/default/invitations/", {"role": "admin", "email": ""}),
        ("/p/default/members/1/", {"role": "admin"}),
        ("/people/1/link/", {}),
        ("/people/1/disable/", {}),
        ("/people/1/factors/", {}),
    ],
)
def test_these_acts_ask_again(stale, address, sent):
    response = stale.post(address, sent)

    assert response.status_code == 403
    assert "Nothing has been done yet" in text_of(response)
    assert not ApiKey.objects.exists()
    assert not Invitation.objects.exists()


def test_inviting_a_viewer_does_not_ask(stale, project):
    assert stale.post(f"/p/{project.slug}/invitations/", {"role": "viewer", "email": ""}).status_code == 302


def test_a_confirmation_holds_for_a_quarter_of_an_hour(stale, project):
    key = {"name": "nightly", "project": project.pk, "scope": "read"}
    stale.post("/account/keys/", key | {"confirm-password": PASSWORD})

    assert stale.post("/account/keys/", key).status_code == 302
    assert grow_old(stale).post("/account/keys/", key).status_code == 403


def test_wrong_passwords_lock_as_at_the_sign_in(stale, project):
    for _ in range(7):
        response = stale.post("/account/codes/", {"confirm-password": "wrong"})

    assert response.status_code == 429


def test_who_has_nothing_to_prove_it_with_passes_only_on_the_machine_itself(stale, alice, project, settings):
    alice.set_unusable_password()
    alice.save()
    client = Client()
    client.force_login(alice)
    grow_old(client)
    key = {"name": "nightly", "project": project.pk, "scope": "read"}

    assert client.post("/account/keys/", key, headers={"X-Forwarded-For": "9.9.9.9"}).status_code == 403
    assert client.post("/account/keys/", key, REMOTE_ADDR="9.9.9.9").status_code == 403
    assert client.post("/account/keys/", key).status_code == 302
    settings.URL = "https://eval.example.com"
    grow_old(client)
    assert client.post("/account/keys/", key).status_code == 403


# ---- sessions ------------------------------------------------------------------------------------------------


def test_a_person_sees_and_ends_own_sessions_only(as_user, alice, bob):
    here, there, bobs = as_user(alice), as_user(alice), as_user(bob)
    key = sessions.row(there.session.session_key)

    assert key in here.get("/account/").content.decode()
    bobs.post("/account/sessions/end/", {"session": key})
    assert there.get("/account/").status_code == 200

    here.post("/account/sessions/end/", {"session": key})

    assert there.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200


def test_one_form_ends_every_session(as_user, alice):
    here, others = as_user(alice), [as_user(alice) for _ in range(3)]
    keys = {str(sessions.row(client.session.session_key)) for client in others}

    html = here.get("/account/").content.decode()

    assert html.count('action="/account/sessions/end/"') == html.count('<form id="end-sessions"') == 1
    buttons = re.findall(r'name="session"\s+value="(.+?)"\s+form="end-sessions"', html)
    assert (len(buttons), {*buttons}) == (3, keys)


def test_all_other_sessions_are_ended_at_once(as_user, alice, bob):
    here, bobs, others = as_user(alice), as_user(bob), [as_user(alice) for _ in range(3)]

    here.post("/account/sessions/end/")

    assert [client.get("/account/").status_code for client in others] == [302] * 3
    assert [client.get("/account/").status_code for client in (here, bobs)] == [200] * 2


def test_the_list_names_browser_and_address(client, alice):
    client.post(
        "/signin/",
        {"username": "alice", "password": PASSWORD},
        headers={"User-Agent": "Lynx/2.9"},
        REMOTE_ADDR="192.0.2.7",
    )

    page = text_of(client.get("/account/"))

    assert "Lynx/2.9" in page
    assert "192.0.2.7" in page


def test_a_session_ends_its_hours_after_the_sign_in_however_busy(as_user, alice, settings):
    client = as_user(alice)
    session = client.session
    session[sessions.SIGNED_IN] -= settings.SESSION_COOKIE_AGE - 3600
    session["project"] = "any change, which stores the session again"
    session.save()

    left = Session.objects.get(user=alice).expire_date - timezone.now()

    assert timedelta(minutes=59) < left <= timedelta(hours=1)
    session[sessions.SIGNED_IN] -= 3600
    session.save()
    assert client.get("/account/").status_code == 302


# ---- nothing is stored ---------------------------------------------------------------------------------------


def test_no_answer_with_data_may_be_stored_by_a_cache(alices, project, dataset):
    for address in (
        "/",
        "/account/",
        f"/p/{project.slug}/",
        f"/datasets/{dataset.pk}/",
        "/nowhere/",
        "/signin/",
    ):
        response = alices.get(address, follow=True)
        assert "no-store" in response["Cache-Control"], address
        assert "private" in response["Cache-Control"], address


def test_pages_without_data_may_be_stored(alices):
    for address in ("/docs/", "/docs/api/", reverse("error-codes")):
        assert "no-store" not in alices.get(address, follow=True).get("Cache-Control", ""), address
