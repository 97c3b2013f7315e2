"""User names that look like others are refused."""

import pytest

from evaluations.access import invitations, lookalikes


@pytest.mark.parametrize("name", ["аlice", "Alice", "αlice", "a1ice", "àlice"])
def test_a_lookalike_of_another_name_is_taken(alice, name):
    assert lookalikes.is_taken(name)


@pytest.mark.parametrize("name", ["alina", "алиса", "jürgen"])
def test_other_names_in_any_script_are_free(alice, name):
    assert not lookalikes.is_taken(name)


def test_nobody_signs_up_with_a_name_that_looks_like_anothers(client, project, alice):
    _, token = invitations.create(project, alice, "viewer")
    password = {"password1": "correct horse battery", "password2": "correct horse battery"}

    response = client.post(f"/invite/{token}/", {"username": "аlice"} | password)

    assert response.status_code == 400
    assert client.post(f"/invite/{token}/", {"username": "dora"} | password).status_code == 302
