"""Links by which people join a project."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluations.access import invitations, members
from evaluations.errors import Gone
from evaluations.models import Invitation, Membership, Project, Role
from tests.pages import markup

NEW = {"username": "erin", "password1": "brand new words", "password2": "brand new words"}


@pytest.fixture
def invited(project, alice) -> str:
    """The link of an invitation as editor."""
    return f"/invite/{invitations.create(project, alice, Role.EDITOR)[1]}/"


def test_a_link_is_shown_once_and_kept_as_a_fingerprint(as_user, alice, project):
    alices = as_user(alice)

    response = alices.post("/p/default/invitations/", {"role": "viewer", "email": ""}, follow=True)

    link = response.context["shown_once"].secret
    token = link.split("/invite/")[1].strip("/")
    assert response.redirect_chain == [("/p/default/settings/", 302)]
    assert link in markup(response)
    assert "no-store" in response["Cache-Control"]
    assert token not in markup(alices.get("/p/default/settings/"))
    assert token not in Invitation.objects.get().digest


def test_looking_does_not_use_a_link_up(as_user, client, charlie, invited):
    assert client.get(invited).status_code == 200
    assert as_user(charlie).get(invited).status_code == 200
    assert Invitation.objects.get().used_at is None


def test_a_signed_in_person_joins_by_a_button(as_user, charlie, project, invited):
    response = as_user(charlie).post(invited)

    assert response["Location"] == "/p/default/"
    assert Membership.objects.get(user=charlie, project=project).role == Role.EDITOR


def test_a_person_without_an_account_makes_one_and_is_signed_in(client, project, invited):
    response = client.post(invited, NEW)

    erin = User.objects.get(username="erin")
    assert response["Location"] == "/p/default/"
    assert client.session["_auth_user_id"] == str(erin.pk)
    assert erin.check_password("brand new words")
    assert Membership.objects.get(user=erin).role == Role.EDITOR


@pytest.mark.parametrize(
    "change",
    [
        {"password1": "password", "password2": "password"},
        {"password1": "short7!", "password2": "short7!"},
        {"password1": "x" * 1_001, "password2": "x" * 1_001},
        {"password2": "something else"},
        {"username": "ALICE"},
        {"username": ""},
    ],
)
def test_an_account_that_cannot_be_made_uses_no_link_up(client, alice, invited, change):
    response = client.post(invited, NEW | change)

    assert response.status_code == 400
    assert User.objects.count() == 1
    assert Invitation.objects.get().used_at is None


def test_a_used_link_says_so_kindly(client, as_user, charlie, invited):
    as_user(charlie).post(invited)

    for response in (client.get(invited), client.post(invited, NEW)):
        assert response.status_code == 410
        assert 'name="username"' not in markup(response)
    assert not User.objects.filter(username="erin").exists()


def test_a_link_dies_after_seven_days(client, invited):
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert client.get(invited).status_code == 410


def test_an_unknown_link_is_answered_like_a_used_one(client, db):
    assert client.get("/invite/guess/").status_code == 410


def test_a_withdrawn_link_is_dead(client, as_user, alice, invited):
    pk = Invitation.objects.get().pk

    as_user(alice).post(f"/p/default/invitations/{pk}/")

    assert client.get(invited).status_code == 410


def test_a_link_for_another_address_lets_nobody_else_in(as_user, charlie, project, alice):
    _, token = invitations.create(project, alice, Role.EDITOR, "erin@example.com")

    response = as_user(charlie).post(f"/invite/{token}/")

    assert response.status_code == 403
    assert not Membership.objects.filter(user=charlie, project=project).exists()
    assert invitations.find(token)


def test_an_account_made_by_a_link_for_an_address_has_that_address(client, project, alice):
    _, token = invitations.create(project, alice, Role.VIEWER, "erin@example.com")

    client.post(f"/invite/{token}/", NEW)

    assert User.objects.get(username="erin").email == "erin@example.com"


def test_a_member_uses_no_link_up_and_keeps_the_role(as_user, bob, project, alice):
    _, token = invitations.create(project, alice, Role.ADMIN)

    response = as_user(bob).post(f"/invite/{token}/")

    assert response.status_code == 409
    assert Membership.objects.get(user=bob).role == Role.EDITOR
    assert invitations.find(token)


def test_links_of_an_administrator_who_left_let_nobody_in(project, alice, bob):
    members.change(Membership.objects.get(user=bob), Role.ADMIN)
    _, token = invitations.create(project, alice, Role.ADMIN)

    members.remove(Membership.objects.get(user=alice))

    with pytest.raises(Gone):
        invitations.find(token)


def test_links_into_a_deleted_project_are_dead(client, project, invited):
    Project.objects.update(deleted_at=timezone.now())

    assert client.get(invited).status_code == 410


def test_the_link_does_not_follow_a_port_that_a_request_invents(alices, project, settings):
    """Without EVALSITE_URL it followed the Host header."""
    settings.GIVEN_URL, settings.PORT, settings.ORIGIN = "", 8000, "http://localhost:8000"
    invite = {"role": "viewer", "email": ""}

    invented, own = (
        alices.post(f"/p/{project.slug}/invitations/", invite, headers={"Host": host}, follow=True)
        for host in ("localhost:6666", "127.0.0.1:8000")
    )

    assert invented.context["shown_once"].secret.startswith("http://localhost:8000/invite/")
    assert own.context["shown_once"].secret.startswith("http://127.0.0.1:8000/invite/")
