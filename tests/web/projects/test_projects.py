"""Projects, their members and keys."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from evaluations.access import api_keys, invitations, permissions, projects
from evaluations.models import ApiKey, Dataset, Membership, Project, Role
from evaluations.upkeep import purging
from evaluations.web.projects import projects as pages
from tests import factories
from tests.pages import markup

SETTINGS = "/p/default/settings/"
ADMIN_WRITES = {
    "/p/default/rules/": {"currency": "EUR"},
    "/p/default/rename/": {"name": "Mine"},
    "/p/default/delete/": {"typed": "Default"},
    "/p/default/members/{member}/": {"role": "admin"},
    "/p/default/members/{alice}/remove/": {},
    "/p/default/invitations/": {"role": "admin"},
    "/p/default/invitations/{invitation}/": {},
    "/p/default/keys/{key}/revoke/": {},
}
PAGES_FOR_ADMINISTRATORS = ("/p/new/", SETTINGS, "/p/default/restore/")


@pytest.fixture
def ids(project, alice, bob, dana) -> dict[str, int]:
    return {
        "member": Membership.objects.get(user=dana).pk,
        "alice": Membership.objects.get(user=alice).pk,
        "invitation": invitations.create(project, alice, Role.VIEWER)[0].pk,
        "key": api_keys.create_key(project, alice, "nightly", "read")[0].pk,
    }


def state() -> list:
    """All state that the writes above could change."""
    return [
        list(Project.objects.values_list("name", "deleted_at")),
        list(Membership.objects.order_by("pk").values_list("pk", "role")),
        list(ApiKey.objects.values_list("revoked_at")),
    ]


@pytest.mark.parametrize("address", ADMIN_WRITES)
@pytest.mark.parametrize(("name", "status"), [("bob", 403), ("dana", 403), ("charlie", 404)])
def test_only_an_administrator_changes_a_project(as_user, charlie, ids, request, address, name, status):
    before = state()

    response = as_user(request.getfixturevalue(name)).post(address.format(**ids), ADMIN_WRITES[address])

    assert response.status_code == status
    assert state() == before


@pytest.mark.parametrize("address", [*ADMIN_WRITES, *PAGES_FOR_ADMINISTRATORS])
def test_an_anonymous_visitor_is_asked_to_sign_in(client, ids, address):
    response = client.post(address.format(**ids), {"name": "x"})

    assert response["Location"].startswith("/signin/")


OF_MEMBERS = {"/p/", "/p/<slug:slug>/links/"}  # the list of projects, and the links that editors made


def test_every_address_of_a_project_is_in_the_lists_above():
    addresses = {f"/{route.pattern}" for route in pages.urlpatterns}
    addresses_listed = {
        address.replace("default", "<slug:slug>").replace(f"{{{name}}}", "<int:pk>")
        for address in (*ADMIN_WRITES, *PAGES_FOR_ADMINISTRATORS)
        for name in ("member", "alice", "invitation", "key")
    }

    assert addresses - OF_MEMBERS == {address for address in addresses_listed if "{" not in address}


# ---- making, renaming, deleting ----


def test_any_user_can_create_and_administer_a_project(as_user, charlie):
    response = as_user(charlie).post("/p/new/", {"name": "Second try"})

    assert response["Location"] == "/p/second-try/"
    project = Project.objects.get(slug="second-try")
    assert permissions.allowed(charlie, project) == set(permissions.ACTIONS)


def test_a_project_called_new_does_not_hide_behind_the_form(alice):
    assert projects.create("New", alice).slug == "new-2"


def test_a_renamed_project_keeps_its_address(as_user, alice, project):
    as_user(alice).post("/p/default/rename/", {"name": "Answers"})

    assert as_user(alice).get("/p/default/").context["project"].name == "Answers"


def test_deleting_takes_the_name(as_user, alice, project):
    response = as_user(alice).post("/p/default/delete/", {"typed": "default"})

    assert response.status_code == 400
    assert "type its name" in markup(response)
    assert Project.objects.get().deleted_at is None


def test_a_deleted_project_takes_its_objects_and_keys_along(as_user, alice, bob, dataset, project):
    _, text = api_keys.create_key(project, alice, "nightly", "read")

    as_user(alice).post("/p/default/delete/", {"typed": "Default"})

    bobs = as_user(bob)
    assert bobs.get("/p/default/").status_code == 404
    assert bobs.get(f"/datasets/{dataset.pk}/").status_code == 404
    assert api_keys.find_key(text) is None


def test_a_project_in_which_runs_are_going_on_stays(as_user, alice, project):
    factories.run(factories.experiment(project))

    response = as_user(alice).post("/p/default/delete/", {"typed": "Default"})

    assert response.status_code == 409
    assert Project.objects.get().deleted_at is None


def test_an_administrator_undoes_a_delete_and_nobody_else(as_user, alice, bob, charlie, project):
    projects.delete(project, "Default")

    answers = [as_user(user).post("/p/default/restore/").status_code for user in (charlie, bob, alice)]

    assert answers == [404, 404, 302]
    assert as_user(alice).get("/p/default/").status_code == 200


def test_a_project_deleted_long_ago_is_purged_with_all_it_owned(alice, dataset, project):
    factories.scored_run(factories.experiment(project))
    Project.objects.update(deleted_at=timezone.now() - timedelta(days=8))

    purging.purge()

    assert not Project.objects.exists()
    assert not Dataset.objects.exists()


# ---- members ----


@pytest.mark.parametrize("name", ["bob", "dana"])
def test_members_see_each_other_and_no_form_but_the_one_to_leave(as_user, ids, request, name):
    user = request.getfixturevalue(name)
    membership = Membership.objects.get(user=user).pk

    html = markup(as_user(user).get(SETTINGS))

    assert "alice" in html
    assert f"/members/{membership}/remove/" in html
    assert "Create link" not in html
    assert "nightly" not in html


def test_a_stranger_sees_no_settings(as_user, charlie, project):
    assert as_user(charlie).get(SETTINGS).status_code == 404


def test_an_administrator_changes_a_role(as_user, alice, dana, ids):
    response = as_user(alice).post(f"/p/default/members/{ids['member']}/", {"role": "editor"})

    assert response.status_code == 302
    assert Membership.objects.get(user=dana).role == Role.EDITOR


def test_a_role_that_does_not_exist_is_refused(as_user, alice, dana, ids):
    response = as_user(alice).post(f"/p/default/members/{ids['member']}/", {"role": "owner"})

    assert response.status_code == 400
    assert Membership.objects.get(user=dana).role == Role.VIEWER


@pytest.mark.parametrize("address", ["/p/default/members/{alice}/", "/p/default/members/{alice}/remove/"])
def test_the_last_administrator_stays(as_user, alice, ids, address):
    response = as_user(alice).post(address.format(**ids), {"role": "viewer"})

    assert response.status_code == 409
    assert "last administrator" in markup(response)
    assert Membership.objects.get(user=alice).role == Role.ADMIN


def test_a_member_of_another_project_is_not_found(as_user, alice, charlie, project):
    charlies_membership = Membership.objects.get(user=charlie)

    assert (
        as_user(alice).post(f"/p/default/members/{charlies_membership.pk}/", {"role": "viewer"}).status_code
        == 404
    )
    assert Membership.objects.get(user=charlie).role == Role.ADMIN


def test_a_removed_member_s_keys_stay_dead_when_they_come_back(as_user, alice, bob, project):
    _, text = api_keys.create_key(project, bob, "nightly", "write")
    bobs = Membership.objects.get(user=bob)

    as_user(alice).post(f"/p/default/members/{bobs.pk}/remove/")
    Membership.objects.create(project=project, user=bob, role=Role.EDITOR)

    assert api_keys.find_key(text) is None


def test_everybody_may_leave(as_user, dana, ids):
    response = as_user(dana).post(f"/p/default/members/{ids['member']}/remove/")

    assert response["Location"] == "/"
    assert not Membership.objects.filter(user=dana).exists()


# ---- keys ----


def test_an_administrator_revokes_the_key_of_another(as_user, alice, bob, project):
    key, text = api_keys.create_key(project, bob, "nightly", "write")

    as_user(alice).post(f"/p/default/keys/{key.pk}/revoke/")

    assert api_keys.find_key(text) is None


def test_a_site_administrator_administers_every_project(as_user, project, ids):
    root = User.objects.create_superuser("root")

    response = as_user(root).post(f"/p/default/members/{ids['member']}/", {"role": "editor"})

    assert response.status_code == 302
