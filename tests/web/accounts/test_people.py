"""Accounts of the site, for its administrators."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluations.access import api_keys, signin_links
from evaluations.models import Project, SignInLink
from tests.pages import markup


@pytest.fixture
def root(db) -> User:
    return User.objects.create_superuser("root")


def test_the_page_lists_everybody_with_their_projects(as_user, root, bob):
    html = markup(as_user(root).get("/people/"))

    row = next(row for row in html.split("<tr>") if 'scope="row">bob' in row)
    assert "bob@example.com" in row
    assert '<td class="number" data-name="Projects">1</td>' in row
    assert "active" in row


@pytest.mark.parametrize("action", ["", "{bob}/disable/", "{bob}/enable/", "{bob}/link/"])
def test_an_administrator_of_a_project_alone_is_refused(as_user, alice, bob, action):
    browser = as_user(alice)

    answer = (browser.post if action else browser.get)(f"/people/{action.format(bob=bob.pk)}")

    assert answer.status_code == 403
    assert User.objects.get(pk=bob.pk).is_active
    assert not SignInLink.objects.exists()


@pytest.mark.parametrize("address", ["/people/", "/workers/", "/audit/"])
def test_a_page_for_site_administrators_says_whom_to_ask_and_no_word_of_the_code(as_user, root, bob, address):
    html = markup(as_user(bob).get(address))

    assert "Only site administrators can see" in html
    assert "Ask root." in html
    assert ">forbidden" not in html
    assert 'aria-label="Copy the number of the request"' in html


def test_a_disabled_person_is_out_at_once_with_sessions_keys_and_links(as_user, root, bob, project):
    _, key = api_keys.create_key(project, bob, "nightly", "read")
    token = signin_links.make_signin_link(bob)
    bobs = as_user(bob)

    answer = as_user(root).post(f"/people/{bob.pk}/disable/")

    assert answer["Location"] == "/people/"
    assert bobs.get("/account/")["Location"].startswith("/signin/")
    assert api_keys.find_key(key) is None
    assert signin_links.use_signin_link(token) is None
    new_client = Client()
    new_client.post("/signin/", {"username": "bob", "password": "bob's long password"})
    assert "_auth_user_id" not in new_client.session


def test_an_enabled_person_comes_in_again(as_user, root, bob):
    User.objects.filter(pk=bob.pk).update(is_active=False)

    as_user(root).post(f"/people/{bob.pk}/enable/")

    assert as_user(bob).get("/account/").status_code == 200


def test_an_enabled_person_signs_in_again_and_others_stay_signed_in(as_user, root, bob, alice):
    bobs, alices = as_user(bob), as_user(alice)

    as_user(root).post(f"/people/{bob.pk}/disable/")
    as_user(root).post(f"/people/{bob.pk}/enable/")

    assert bobs.get("/account/")["Location"].startswith("/signin/")
    assert alices.get("/account/").status_code == 200


def test_nobody_disables_their_own_account(as_user, root):
    answer = as_user(root).post(f"/people/{root.pk}/disable/")

    assert answer.status_code == 409
    assert User.objects.get(pk=root.pk).is_active


@pytest.fixture
def link(as_user, root, bob) -> str:
    """A sign-in link for Bob, as its page shows it."""
    response = as_user(root).post(f"/people/{bob.pk}/link/", follow=True)
    assert response.redirect_chain == [("/people/", 302)]
    return re.search(r"/signin/link/[^/<\s]+/", markup(response))[0]


def test_a_link_signs_the_person_in_once(link, bob):
    browser = Client()

    answers = [browser.post(link).status_code, Client().post(link).status_code]

    assert answers == [302, 410]
    assert browser.session["_auth_user_id"] == str(bob.pk)


def test_a_link_is_shown_once(as_user, root, link):
    assert "/signin/link/" not in markup(as_user(root).get("/people/"))


def test_a_disabled_person_gets_no_link(as_user, root, bob):
    User.objects.filter(pk=bob.pk).update(is_active=False)

    assert as_user(root).post(f"/people/{bob.pk}/link/").status_code == 409
    assert not SignInLink.objects.exists()


# ---- projects are made by administrators of the site alone ----


@pytest.fixture
def projects_by_administrators(settings) -> None:
    settings.EVALSITE_PROJECT_CREATION = False


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_an_administrator_of_the_site_makes_a_project(
    as_user, alice, project, projects_by_administrators, method
):
    answer = getattr(as_user(alice), method)("/p/new/", {"name": "Second"})

    assert answer.status_code == 403
    assert "/api/codes/#forbidden" in markup(answer)
    assert list(Project.objects.all()) == [project]


def test_home_offers_no_new_project_if_that_is_forbidden(as_user, alice, db, settings):
    pages = []
    for allowed in (True, False):
        settings.EVALSITE_PROJECT_CREATION = allowed
        pages.append(markup(as_user(alice).get("/")))

    assert ["/p/new/" in page for page in pages] == [True, False]


def test_administrators_of_the_site_make_projects_still(as_user, root, projects_by_administrators):
    assert as_user(root).post("/p/new/", {"name": "Second"})["Location"] == "/p/second/"


def test_a_program_makes_no_project_whatever_its_key(client, alice, project, projects_by_administrators):
    _, key = api_keys.create_key(project, alice, "nightly", "admin")

    answer = client.post(
        "/api/v1/projects/",
        {"name": "Second"},
        "application/json",
        headers={"Authorization": f"Bearer {key}"},
    )

    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
    assert list(Project.objects.all()) == [project]


def test_the_menu_of_an_administrator_leads_to_the_pages_of_the_site(client, alice):
    addresses = ('"/workers/"', '"/people/"', '"/audit/"')
    client.force_login(alice)
    assert not any(address in client.get("/account/").content.decode() for address in addresses)

    client.force_login(User.objects.create_superuser("boss"))
    menu = client.get("/account/").content.decode().partition('id="account"')[2].partition("</div>")[0]
    assert all(address in menu for address in addresses)
