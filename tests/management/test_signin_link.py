"""`manage.py signin_link`."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from evaluations.management.commands import signin_link


def link(capsys, *arguments: str) -> str:
    call_command("signin_link", *arguments)
    return capsys.readouterr().out.strip()


def test_a_sign_in_link_signs_that_person_in(client, alice, capsys):
    address = link(capsys, "alice")

    assert address.startswith("http://localhost:8000/")
    client.post(urlsplit(address).path)
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_without_a_name_it_is_for_the_first_administrator(client, django_user_model, capsys, db):
    admin = django_user_model.objects.create_superuser("root")

    client.post(urlsplit(link(capsys)).path)

    assert client.session["_auth_user_id"] == str(admin.pk)


def test_somebody_unknown_gets_no_link(db):
    with pytest.raises(CommandError, match="No active user is named 'mallory'"):
        call_command("signin_link", "mallory")


def test_below_a_path_the_link_of_every_thread_leads_there(alice, settings, monkeypatch):
    settings.ORIGIN, settings.PATH = "https://host.example", "/evals"
    monkeypatch.setattr(signin_link.signin_links, "make_signin_link", lambda user: "token")

    with ThreadPoolExecutor(1) as pool:
        link = pool.submit(signin_link.link_for, alice).result()

    assert link == "https://host.example/evals/signin/link/token/"
