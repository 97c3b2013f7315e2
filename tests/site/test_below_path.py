"""A site below a path, such as https://example.com/evals: real pages, links, forms, files, cookies and the API."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
import requests

from tests.processes import ROOT, Process, unused_port

pytestmark = pytest.mark.processes
ADDRESS = re.compile(r'\s(?:href|src|action|formaction|hx-get|hx-post)="(/[^"]*|https?://[^"]*)"')
MOST_PAGES = 60
PASSWORD = "alice's long password"
NOT_FOLLOWED = re.compile(r"/signout/|/static/|/export|/compare/|\.(csv|jsonl|xlsx|parquet|html)|/api/")


# A site of its own: a project with two scored runs, Alice, and a key that reads.
BEGIN = f"""
from django.contrib.auth.models import User
from django.core.management import call_command
from evaluations.access import api_keys, projects
from evaluations.models import Scope
from tests import factories
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
alice = User.objects.create_user("alice", "alice@example.com", {PASSWORD!r})
project = projects.create("Default", alice)
experiment = factories.experiment(project, "exact_match", references=("Paris", "Rome"))
for name, outputs in {{"base": ("Paris", "Oslo"), "terse": ("Paris", "Rome")}}.items():
    factories.scored_run(experiment, outputs, name)
print("key", api_keys.create_key(project, alice, "ci", Scope.READ)[1])
"""


class Site:
    def __init__(self, port: int, key: str) -> None:
        self.key = key
        self.host = f"http://127.0.0.1:{port}"
        self.root = f"{self.host}/evals"
        self.browser = requests.Session()

    def get(self, path: str) -> requests.Response:
        return self.browser.get(f"{self.host}{path}", timeout=60)

    def sign_in(self) -> requests.Response:
        form = self.get("/evals/signin/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
        assert token
        values = {
            "username": "alice",
            "password": PASSWORD,
            "csrfmiddlewaretoken": token[1],
        }
        return self.browser.post(f"{self.root}/signin/", values, headers={"Referer": self.root}, timeout=60)


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[tuple[int, str]]:
    """Its port and key."""
    folder, port = tmp_path_factory.mktemp("below"), unused_port()
    variables = {
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "EVALSITE_DATA": str(folder / "data"),
        "EVALSITE_URL": f"http://127.0.0.1:{port}/evals",
    }
    begin = subprocess.run(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", BEGIN],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    assert begin.returncode == 0, begin.stderr
    web = Process([sys.executable, "-m", "evalsite.server"], folder / "web.log", PORT=str(port), **variables)
    web.wait_for("Serving pages at")
    yield port, begin.stdout.split()[-1]
    web.end()


@pytest.fixture
def site(running: tuple[int, str]) -> Site:
    return Site(*running)


def test_every_address_of_every_page_is_below_the_path(site):
    home = site.sign_in()
    assert (home.status_code, home.url.startswith(f"{site.root}/")) == (200, True)
    seen, waiting, wrong = set(), ["/evals/"], []
    while waiting and len(seen) < MOST_PAGES:
        path = waiting.pop(0)
        page = site.get(path)
        seen.add(path)
        if page.status_code in (requests.codes.method_not_allowed, requests.codes.bad_request):
            continue  # where a form is posted to, or a page that needs the query, which is left out here
        assert page.status_code == 200, path
        assert page.url.startswith(f"{site.root}/"), path
        for found in ADDRESS.findall(page.text):
            address = found.removeprefix(site.host).replace("&amp;", "&").partition("#")[0]
            if address.startswith("/") and not address.startswith("/evals/"):
                wrong.append((path, address))
            plain = address.partition("?")[0]
            is_page = address.startswith("/evals/") and not NOT_FOLLOWED.search(address)
            if is_page and plain not in seen and plain not in waiting:
                waiting.append(plain)

    assert not wrong
    assert len(seen) > 20


def test_cookies_have_names_and_paths_of_this_site_only(site):
    site.sign_in()

    cookies = list(site.browser.cookies)
    assert {cookie.path for cookie in cookies} <= {"/evals/", "/evals/signin/"}
    assert all(re.search("-[0-9a-f]{8}$", cookie.name) for cookie in cookies)
    assert len({cookie.name.rpartition("-")[2] for cookie in cookies}) == 1


def test_styles_and_scripts_are_served_below_the_path(site):
    files = {file for file in ADDRESS.findall(site.get("/evals/signin/").text) if "/static/" in file}

    assert files
    assert {site.get(file).status_code for file in files} == {200}


@pytest.mark.parametrize("prefix", ["/evals", ""], ids=["proxy keeps the path", "proxy strips the path"])
def test_a_proxy_may_keep_the_path_or_strip_it(site, prefix):
    site.browser.headers["Authorization"] = f"Bearer {site.key}"

    listed = site.get(f"{prefix}/api/v1/runs/?page_size=1").json()
    to_sign_in = requests.get(f"{site.host}{prefix}/", allow_redirects=False, timeout=60)

    assert listed["next"].startswith(f"{site.root}/api/v1/runs/")
    assert to_sign_in.headers["Location"].startswith("/evals/signin/")
    assert site.get(f"{prefix}/healthz").status_code == 200


def test_a_path_without_its_slash_leads_home(site):
    answer = requests.get(site.root, allow_redirects=False, timeout=60)

    assert answer.headers["Location"] == "/evals/"
