"""API keys: which are accepted, and until when."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evaluations.access import api_keys
from evaluations.models import ApiKey, Membership, Role, Scope

from .conftest import Program, program


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic YWxpY2U6eA==",
        "Token {key}",
        "{key}",
        "Bearer {cut}",
        "Bearer {key}x",
        "Bearer evk_",
        "Bearer \xff",
    ],
)
def test_anything_but_the_whole_key_is_refused(project, header):
    _, key = api_keys.create_key(project, None, "x", Scope.READ)
    caller = Program()
    caller.headers = {"Authorization": header.format(key=key, cut=key[:-1])}

    assert caller.get("projects/current/").status_code == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_may_have_any_case(project, scheme):
    _, key = api_keys.create_key(project, None, "x", Scope.READ)
    caller = Program()
    caller.headers = {"Authorization": f"{scheme} {key}"}

    assert caller.get("projects/current/").status_code == 200


def test_a_key_in_the_query_opens_nothing(project, nobody):
    _, key = api_keys.create_key(project, None, "x", Scope.READ)

    assert nobody.get(f"projects/current/?key={key}").status_code == 401


def test_a_session_opens_nothing(client, alice, project):
    client.force_login(alice)

    assert client.get("/api/v1/projects/current/").status_code == 401


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
def test_a_revoked_or_expired_key_is_refused(writer, field):
    ApiKey.objects.update(**{field: timezone.now() - timedelta(seconds=1)})

    assert writer.get("projects/current/").status_code == 401


def test_a_key_ends_with_the_membership_of_its_owner(project, bob):
    caller = program(project, Scope.WRITE, bob)
    assert caller.get("projects/current/").status_code == 200

    Membership.objects.filter(user=bob).delete()

    assert caller.get("projects/current/").status_code == 401


def test_a_key_of_a_disabled_user_is_refused(project, bob):
    caller = program(project, Scope.WRITE, bob)
    bob.is_active = False
    bob.save()

    assert caller.get("projects/current/").status_code == 401


def test_a_key_has_no_more_rights_than_its_owner(project, bob):
    Membership.objects.filter(user=bob).update(role=Role.VIEWER)
    caller = program(project, Scope.WRITE, bob)

    assert caller.get("datasets/").status_code == 200
    assert caller.post("datasets/", {"name": "x", "examples": []}).status_code == 403


def test_calling_a_server_takes_the_right_to_run(reader):
    response = reader.post("score/", {"kind": "semantic_similarity", "items": []})

    assert response.status_code == 403
