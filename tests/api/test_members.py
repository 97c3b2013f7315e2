"""Members, invitations, keys and the audit log of a project by the API, with an admin key."""

import csv
import io

import pytest

from evaluations.access import api_keys, invitations, projects
from evaluations.models import ApiKey, IdempotentAnswer, Invitation, Membership, Project, Role, Scope

from .conftest import Program, program
from .test_bodies import error


@pytest.fixture
def admin(project, alice) -> Program:
    """An admin key of Alice's."""
    return program(project, Scope.ADMIN, alice)


def test_an_admin_key_has_no_more_rights_than_its_owner(project, bob):
    assert program(project, Scope.ADMIN, bob).get("audit/").status_code == 403


# ---- the project -------------------------------------------------------------------------------------------


def test_a_project_is_renamed_and_keeps_its_address(admin, project):
    answer = admin.patch("projects/current/", {"name": "Evaluations"})

    assert (answer.json()["name"], answer.json()["slug"]) == ("Evaluations", project.slug)


def test_the_keys_of_a_deleted_project_end(admin, alice, project):
    assert admin.delete("projects/current/").status_code == 204

    assert admin.get("projects/current/").status_code == 401
    assert projects.restorable(alice).get() == project


# ---- members -----------------------------------------------------------------------------------------------


def test_members_are_listed_with_their_roles(reader, alice, bob):
    listed = reader.get("members/").json()["results"]

    assert {(member["user"], member["role"]) for member in listed} == {("alice", "admin"), ("bob", "editor")}


def test_a_role_is_changed(admin, bob):
    member = Membership.objects.get(user=bob)

    answer = admin.patch(f"members/{member.pk}/", {"role": "viewer"})

    assert answer.json()["role"] == "viewer"
    assert Membership.objects.get(user=bob).role == Role.VIEWER


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_the_last_administrator_stays(admin, alice, method):
    member = Membership.objects.get(user=alice)

    answer = admin.send(method, f"members/{member.pk}/", {"role": "viewer"} if method == "PATCH" else None)

    assert (answer.status_code, error(answer)["code"]) == (409, "last_admin")
    assert Membership.objects.get(user=alice).role == Role.ADMIN


def test_a_removed_member_loses_the_keys_too(admin, project, bob):
    bobs = program(project, Scope.WRITE, bob)

    assert admin.delete(f"members/{Membership.objects.get(user=bob).pk}/").status_code == 204

    assert bobs.get("datasets/").status_code == 401
    assert not Membership.objects.filter(user=bob).exists()


# ---- invitations -------------------------------------------------------------------------------------------


def test_an_invitation_tells_its_link_once_and_the_link_works(admin, charlie, project):
    invitation = admin.create("invitations/", {"role": "editor"})

    token = invitation["link"].split("/invite/")[1].strip("/")
    assert "link" not in admin.get(f"invitations/{invitation['id']}/").json()
    assert invitations.accept(token, charlie) == project
    assert Membership.objects.get(project=project, user=charlie).role == Role.EDITOR


def test_a_repeated_invitation_has_no_link(admin):
    first, second = (
        admin.post("invitations/", {"role": "viewer"}, **{"Idempotency-Key": "once"}).json() for _ in range(2)
    )

    assert (second["id"], second["link"]) == (first["id"], None)
    assert first["link"].split("/")[-2] not in IdempotentAnswer.objects.get().body


def test_an_invitation_is_withdrawn(admin, charlie):
    invitation = admin.create("invitations/", {"role": "viewer", "email": "charlie@example.com"})

    assert admin.delete(f"invitations/{invitation['id']}/").status_code == 204

    assert not Invitation.objects.exists()


def test_a_key_of_nobody_invites_nobody(project):
    answer = program(project, Scope.ADMIN).post("invitations/", {"role": "viewer"})

    assert (answer.status_code, error(answer)["code"]) == (403, "forbidden")
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("body", [{}, {"role": "boss"}, {"role": "viewer", "email": "nobody"}])
def test_an_invitation_that_does_not_fit_is_refused(admin, body):
    assert admin.post("invitations/", body).status_code == 400


# ---- keys --------------------------------------------------------------------------------------------------


def test_keys_are_listed_without_their_secret_part(admin, project, bob):
    _, text = api_keys.create_key(project, bob, "nightly", Scope.RUN)

    answer = admin.get("keys/")

    assert answer.json()["results"][0] | {"id": 0, "created_at": ""} == {
        "id": 0,
        "name": "nightly",
        "prefix": text[4:12],
        "scope": "run",
        "owner": "bob",
        "expires_at": None,
        "created_at": "",
        "last_used_at": None,
        "addresses": [],
    }
    assert text not in answer.content.decode()


def test_a_key_is_revoked(admin, project, bob):
    bobs = program(project, Scope.WRITE, bob)

    assert admin.delete(f"keys/{ApiKey.objects.get(owner=bob).pk}/").status_code == 204

    assert bobs.get("datasets/").status_code == 401


@pytest.mark.parametrize("path", ["keys/", "projects/current/"])
def test_a_program_makes_neither_keys_nor_projects(admin, path):
    assert admin.post(path, {"name": "another", "scope": "admin"}).status_code == 405
    assert (ApiKey.objects.count(), Project.objects.count()) == (1, 1)


# ---- the log -----------------------------------------------------------------------------------------------


def test_the_log_has_actor_action_and_key(admin, alice):
    admin.patch("projects/current/", {"name": "First"})
    dataset = admin.create("datasets/", {"name": "Towns", "examples": [{"inputs": "a"}]})

    newest, oldest = admin.get("audit/").json()["results"]

    assert (newest["action"], newest["who"], newest["object"]) == ("dataset-create", "alice", dataset["id"])
    assert newest["key"] == ApiKey.objects.get().prefix
    assert (oldest["action"], oldest["type"], oldest["name"]) == ("project-change", "project", "First")


def test_the_log_is_filtered(admin):
    admin.patch("projects/current/", {"name": "First"})
    admin.create("datasets/", {"name": "Towns", "examples": [{"inputs": "a"}]})

    entries = admin.get("audit/?action=dataset-create&who=alice&since=2000-01-01").json()["results"]

    assert [entry["name"] for entry in entries] == ["Towns"]
    assert admin.get("audit/?until=2000-01-01").json()["results"] == []


@pytest.mark.parametrize("query", ["since=2026-02-30", "actor__password=x"])
def test_a_filter_of_the_log_that_cannot_be_is_refused(admin, query):
    assert admin.get(f"audit/?{query}").status_code == 400


def test_the_log_is_exported_with_the_same_filters(admin):
    admin.patch("projects/current/", {"name": "=cmd()"})
    admin.create("datasets/", {"name": "Towns", "examples": [{"inputs": "a"}]})

    answer = admin.get("audit/export/?action=project-change", Accept="*/*")

    text = b"".join(answer.streaming_content).decode()
    assert [row["name"] for row in csv.DictReader(io.StringIO(text))] == ["'=cmd()"]
