"""The user's own account."""

import pytest

from evaluations.access import api_keys, passwords, signin_links
from evaluations.models import ApiKey, SignInLink
from tests.pages import markup


def test_the_old_password_is_asked_for(client, alice):
    client.force_login(alice)
    new_passwords = {"new_password1": "brand new words", "new_password2": "brand new words"}

    refusal = client.post("/account/password/", {"old_password": "wrong"} | new_passwords)
    success = client.post("/account/password/", {"old_password": "alice's long password"} | new_passwords)

    assert (refusal.status_code, success.status_code) == (400, 302)
    alice.refresh_from_db()
    assert alice.check_password("brand new words")


def test_a_person_who_came_by_a_link_sets_a_first_password_without_an_old_one(client, alice):
    alice.set_unusable_password()
    alice.save()
    client.force_login(alice)

    response = client.post(
        "/account/password/", {"new_password1": "brand new words", "new_password2": "brand new words"}
    )

    assert response.status_code == 302
    alice.refresh_from_db()
    assert alice.check_password("brand new words")


def test_weak_passwords_are_refused(client, alice):
    client.force_login(alice)

    for weak_password in ("password", "short7!", "alice@example.com", "1234567890123"):
        form = {
            "old_password": "alice's long password",
            "new_password1": weak_password,
            "new_password2": weak_password,
        }
        assert client.post("/account/password/", form).status_code == 400, weak_password


def test_a_new_password_ends_other_sessions_and_keeps_this_one(as_user, alice):
    here, elsewhere = as_user(alice), as_user(alice)
    new = {"new_password1": "brand new words", "new_password2": "brand new words"}

    here.post("/account/password/", {"old_password": "alice's long password"} | new)

    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302


def test_a_new_password_forgets_links(client, alice):
    signin_links.make_signin_link(alice)
    passwords.change_password(alice, "brand new words")

    assert not SignInLink.objects.filter(user=alice).exists()


# ---- keys ----


def make_key(client, project, **more: str):
    form = {"name": "nightly", "project": project.pk, "scope": "write", "expires": ""} | more
    return client.post("/account/keys/", form, follow=True)


def test_a_key_is_shown_once(client, alice, project):
    client.force_login(alice)

    response = make_key(client, project)

    key = ApiKey.objects.get()
    text = response.context["shown_once"].secret
    assert response.redirect_chain == [("/account/", 302)]
    assert text in markup(response)
    assert api_keys.find_key(text) == key
    assert text not in markup(client.get("/account/"))
    assert "no-store" in response["Cache-Control"]


def test_the_table_of_keys_and_its_section_have_names_of_their_own(client, alice, project):
    api_keys.create_key(project, alice, "nightly", "read")
    client.force_login(alice)

    for address in ("/account/", f"/p/{project.slug}/settings/"):
        assert markup(client.get(address)).count('aria-labelledby="keys-head"') == 1


def test_a_key_is_for_one_s_own_projects(client, alice, charlie, project):
    client.force_login(charlie)

    response = make_key(client, project)

    assert response.status_code == 404
    assert not ApiKey.objects.exists()


def test_a_revoked_key_is_dead(client, alice, project):
    client.force_login(alice)
    key, text = api_keys.create_key(project, alice, "nightly", "read")

    client.post(f"/account/keys/{key.pk}/revoke/")

    assert api_keys.find_key(text) is None


def test_nobody_revokes_the_key_of_another(client, alice, bob, project):
    key, text = api_keys.create_key(project, alice, "nightly", "read")
    client.force_login(bob)

    assert client.post(f"/account/keys/{key.pk}/revoke/").status_code == 404
    assert api_keys.find_key(text) == key


# ---- theme ----


def test_a_theme_is_kept_and_leads_back(client, db):
    response = client.post("/theme/", {"theme": "dark", "next": "/signin/?a=1"})

    assert response["Location"] == "/signin/?a=1"
    assert response.cookies["theme"].value == "dark"
    assert 'data-theme="dark"' in markup(client.get("/signin/"))


def test_the_system_s_theme_forgets_the_choice(client, db):
    client.post("/theme/", {"theme": "dark"})
    client.post("/theme/", {"theme": "system"})

    assert "data-theme" not in markup(client.get("/signin/"))


def test_a_theme_leads_nowhere_else(client, db):
    assert client.post("/theme/", {"theme": "dark", "next": "//evil.example"})["Location"] == "/"


@pytest.mark.parametrize("address", ["experiments", "１", "", "?a=1"])
def test_an_address_that_is_no_path_leads_home(client, alices, project, address):
    assert client.post("/theme/", {"theme": "dark", "next": address})["Location"] == "/"
    for referer in (address, "http://testserver"):
        answer = alices.get("/compare/?runs=1", headers={"Referer": referer})
        assert (answer.status_code, answer.get("Location", "/")) in ((302, "/"), (404, "/"))
