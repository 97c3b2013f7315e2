"""`manage.py apikey`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluations.models import ApiKey
from tests.api.conftest import Program


def run(*words: str) -> str:
    out = StringIO()
    call_command("apikey", *words, stdout=out)
    return out.getvalue()


def test_a_new_key_is_all_that_is_printed(project):
    printed = run("create", "--project", "default", "--scope", "write")

    assert printed.startswith("evk_")
    assert len(printed.split()) == 1
    answer = Program(printed.strip()).get("projects/current/").json()
    assert (answer["slug"], answer["key"]["scope"]) == ("default", "write")


def test_a_key_has_a_name_an_owner_and_an_end(project, bob):
    run(
        "create",
        "--project",
        "default",
        "--scope",
        "read",
        "--name",
        "CI",
        "--user",
        "bob",
        "--expires-days",
        "7",
    )

    key = ApiKey.objects.get()
    assert (key.name, key.owner, key.scope) == ("CI", bob, "read")
    assert round((key.expires_at - key.created_at).total_seconds() / 86_400, 3) == 7


def test_the_list_shows_no_secret(project):
    key = run("create", "--project", "default", "--scope", "run", "--name", "CI").strip()

    printed = run("list")

    assert key[4:12] in printed
    assert key[13:] not in printed
    assert "live" in printed
    assert "CI" in printed


def test_a_revoked_key_is_dead_at_once(project):
    key = run("create", "--project", "default", "--scope", "read").strip()

    run("revoke", key[4:12])

    assert Program(key).get("projects/current/").status_code == 401
    assert "revoked" in run("list", "--project", "default")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("create", "--project", "nothing", "--scope", "read"), "Projects: default"),
        (("create", "--project", "default", "--scope", "everything"), "invalid choice"),
        (("create", "--project", "default", "--scope", "read", "--user", "nobody"), "No active user"),
        (("create", "--project", "default", "--scope", "read", "--expires-days", "0"), "1 to 36500"),
        (("revoke", "00000000"), "No key begins with"),
    ],
)
def test_the_command_names_the_problem(project, words, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(*words)
