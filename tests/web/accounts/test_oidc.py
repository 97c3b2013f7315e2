"""Sign-in by OpenID Connect: a site with the extra, a stand-in provider, and real HTTP between them."""

import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.contrib.auth.hashers import is_password_usable

from tests.authorization.calls import routes
from tests.processes import ROOT, Process, cookie, unused_port

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(find_spec("allauth") is None, reason="the extra oidc is not installed"),
]
if find_spec("allauth"):
    from tests.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider

BEGIN = """
from django.contrib.auth.models import User
from evaluations.access import invitations, projects
alice = User.objects.create_user("alice", "Alice@example.com")
User.objects.create_user("dora", "dora@example.com", is_active=False)
for name in ("twin", "other-twin"):
    User.objects.create_user(name, "twins@example.com")
project = projects.create("Default", alice)
for email in ("", "erin@example.com", ""):
    print("token", invitations.create(project, alice, "viewer", email)[1])
"""


class Site:
    """A site with default settings and a database of its own."""

    def __init__(self, folder, issuer: str) -> None:
        self.folder = folder
        self.port = unused_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": "",
            "EVALSITE_DATA": str(folder),
            "EVALSITE_URL": self.url,
            "EVALSITE_OIDC_ISSUER": issuer,
            "EVALSITE_OIDC_CLIENT_ID": CLIENT_ID,
            "EVALSITE_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "EVALSITE_OIDC_NAME": "Example ID",
            "EVALSITE_OIDC_DOMAINS": "allowed.example",
            "EVALSITE_TRUSTED_PROXIES": "1",
        }
        self.manage("migrate", "--verbosity", "0", "--skip-checks")
        self.tokens = re.findall(r"token (\S+)", self.shell(BEGIN))
        command = [
            sys.executable,
            "manage.py",
            "runserver",
            "--noreload",
            "--skip-checks",
            f"127.0.0.1:{self.port}",
        ]
        self.process = Process(command, folder / "site.log", **self.env)
        self.process.wait_for("Starting development server", seconds=120)

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        environment = os.environ | self.env
        return subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout

    def shell(self, code: str) -> str:
        return self.manage("shell", "--verbosity", "0", "-c", code)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What its database answers."""
        with closing(sqlite3.connect(self.folder / "evalsite.sqlite3")) as database:
            return database.execute(query).fetchall()

    def end(self) -> None:
        self.process.end()


@pytest.fixture(scope="module")
def provider() -> Iterator["Provider"]:
    running = Provider()
    yield running
    running.end()


@pytest.fixture(scope="module")
def site(provider, tmp_path_factory) -> Iterator[Site]:
    running = Site(tmp_path_factory.mktemp("oidc"), provider.issuer)
    yield running
    running.end()


@pytest.fixture
def session(site) -> requests.Session:
    return requests.Session()


@pytest.fixture
def leave(site, provider, session) -> Callable[[str], str]:
    """Press the button on a page; returns the provider's address to which it redirects."""

    def press(page: str) -> str:
        html = session.get(site.url + page, timeout=30).text
        form = html[html.index('action="/signin/oidc/"') :]
        fields = ("csrfmiddlewaretoken", "next")
        form_fields = {name: re.search(rf'name="{name}" value="([^"]*)"', form)[1] for name in fields}
        onward = session.post(f"{site.url}/signin/oidc/", form_fields, timeout=30)
        address = unescape(re.search(r'content="0; url=([^"]*)"', onward.text)[1])
        assert address.startswith(provider.issuer)
        return address

    return press


@pytest.fixture
def sign_in(provider, session, leave) -> Callable[..., requests.Response]:
    """Sign in from a page, as a person with these claims."""

    def arrive(page: str = "/signin/", **person: object) -> requests.Response:
        provider.person = {"sub": str(person.get("email")), "email_verified": True} | person
        return session.get(leave(page), timeout=30)

    return arrive


def name_signed_in(site: Site, session: requests.Session) -> str:
    """The name of the last person who signed in, by the audit log, if it is signed in."""
    if not session.get(f"{site.url}/account/", timeout=30).url.endswith("/account/"):
        return ""
    [(name,)] = site.rows(
        "SELECT actor_name FROM evaluations_auditentry WHERE action = 'signin' ORDER BY id DESC LIMIT 1"
    )
    return name


def test_the_account_with_the_verified_address_is_signed_in_and_stays_the_persons(site, session, sign_in):
    answer = sign_in(email="alice@example.com", sub="a-1")

    assert answer.status_code == 200
    assert name_signed_in(site, session) == "alice"

    session.cookies.clear()
    sign_in(email="alice.new@example.com", sub="a-1")

    assert name_signed_in(site, session) == "alice"


def test_the_session_gets_another_id(provider, session, leave):
    provider.person = {"sub": "a-1", "email": "alice@example.com", "email_verified": True}
    address = leave("/signin/")
    before = cookie(session.cookies, "session")

    session.get(address, timeout=30)

    assert cookie(session.cookies, "session") != before


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ({"email": "charlie@example.com"}, "No account"),
        ({"email": "alice@example.com", "email_verified": False, "sub": "x"}, "no verified"),
        ({"email": "alice@example.com", "email_verified": "false", "sub": "y"}, "no verified"),
        ({"email": "somebody@not-allowed.example"}, "No account"),
        ({"email": "dora@example.com"}, "disabled"),
        ({"email": "twins@example.com"}, "Several accounts"),
    ],
)
def test_others_stay_outside(site, session, sign_in, person, sentence):
    answer = sign_in(**person)

    assert answer.status_code == 403
    assert sentence in answer.text
    assert session.get(f"{site.url}/account/", timeout=30).url.startswith(f"{site.url}/signin/")


def test_an_allowed_domain_makes_an_account_without_a_password(site, session, sign_in):
    sign_in(email="fay@Allowed.example", preferred_username="fay")

    assert name_signed_in(site, session) == "fay"
    [(pk, password, is_staff)] = site.rows(
        "SELECT id, password, is_staff FROM auth_user WHERE username = 'fay'"
    )
    assert (is_password_usable(password), is_staff) == (False, 0)
    assert site.rows(f"SELECT * FROM evaluations_membership WHERE user_id = {pk}") == []


def test_an_invitation_lets_somebody_new_in(site, session, sign_in):
    answer = sign_in(f"/invite/{site.tokens[0]}/", email="gus@example.com", preferred_username="alice")

    assert answer.url == f"{site.url}/"
    name = name_signed_in(site, session)
    assert name.startswith("alice-")
    assert site.rows(
        "SELECT email, role FROM auth_user JOIN evaluations_membership ON user_id = auth_user.id "
        f"WHERE username = '{name}'"
    ) == [("gus@example.com", "viewer")]


def test_an_invitation_for_another_address_does_not(site, session, sign_in):
    answer = sign_in(f"/invite/{site.tokens[1]}/", email="mallory@example.com")

    assert answer.status_code == 403
    assert "for another" in answer.text


def test_the_page_names_a_provider_that_gives_no_token(provider, sign_in):
    provider.fails = True
    try:
        answer = sign_in(email="alice@example.com", sub="a-1")
    finally:
        provider.fails = False

    assert answer.status_code == 403
    assert "Example ID did not sign you in" in answer.text


def test_an_answer_that_nobody_asked_for_signs_nobody_in(site, session):
    answer = session.get(f"{site.url}/signin/oidc/callback/?code=x&state=y", timeout=30)

    assert answer.status_code == 403


def test_forms_still_go_to_this_site_alone(site, session):
    policy = session.get(f"{site.url}/signin/", timeout=30).headers["Content-Security-Policy"]

    assert "form-action 'self'" in policy


def test_single_sign_on_begins_with_a_post_alone(site, session):
    assert session.get(f"{site.url}/signin/oidc/", timeout=30).status_code == 405


@pytest.mark.parametrize(
    "path", ["accounts/login/", "accounts/signup/", "accounts/email/", "accounts/social/connections/"]
)
def test_other_pages_of_allauth_are_absent(site, session, path):
    assert session.get(f"{site.url}/{path}", timeout=30, allow_redirects=False).status_code == 404


def test_it_adds_two_addresses_to_those_of_the_authorization_table(site):
    """Everybody may open them, like the sign-in page; the tests above check who may sign in."""
    names = site.shell("from tests.authorization.calls import routes; print(*routes())").split()

    assert set(names) - set(routes()) == {"oidc-begin", "openid_connect_callback"}
    assert set(routes()) <= set(names)


def test_it_asks_with_pkce_and_a_state(site, leave):
    query = parse_qs(urlsplit(leave("/signin/")).query)

    assert query["code_challenge_method"] == ["S256"]
    assert len(query["state"][0]) >= 16
    assert query["redirect_uri"] == [f"{site.url}/signin/oidc/callback/"]


def test_an_address_may_leave_thirty_times_a_minute(site, session):
    page = session.get(f"{site.url}/signin/", timeout=30).text
    form = {"csrfmiddlewaretoken": re.search(r'name="csrfmiddlewaretoken" value="([^"]*)"', page)[1]}
    flood = {"X-Forwarded-For": "203.0.113.9"}

    def press(_: int) -> requests.Response:
        cookies = session.cookies.get_dict()
        return requests.post(f"{site.url}/signin/oidc/", form, headers=flood, cookies=cookies, timeout=60)

    with ThreadPoolExecutor(8) as hands:
        # more than two minutes allow, because the test may span a full minute
        answers = list(hands.map(press, range(62)))

    refusals = [answer for answer in answers if answer.status_code == 429]
    assert {answer.status_code for answer in answers} == {200, 429}
    assert int(refusals[0].headers["Retry-After"]) > 0
