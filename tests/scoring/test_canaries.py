"""Secrets pass through a site of real processes; then everything it has written is searched for them."""

import json
import re
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests import processes
from tests.clients.stub import Stub, embedded, json_reply
from tests.faults.client import Client
from tests.faults.site import Site

pytestmark = pytest.mark.processes

MODEL = "tiny"
NAMES = ["API key", "connection's key", "password", "session cookie", "sign-in link", "invitation"]
STORES = ["answers", "database", "exports", "logs", "redis"]


class Browser:
    """A user's browser; it records all answers and headers, except cookies meant for that user."""

    def __init__(self, address: str, answers: list[str]) -> None:
        self.address, self.answers = address, answers
        self.http = requests.Session()
        self.http.trust_env = False

    def send(self, method: str, path: str, **form: str) -> requests.Response:
        headers = {"X-CSRFToken": (self.http.cookies and processes.cookie(self.http.cookies, "csrf")) or ""}
        answer = self.http.request(
            method, self.address + path, data=form, headers=headers, timeout=60, allow_redirects=False
        )
        headers_shown = {name: value for name, value in answer.headers.items() if name != "Set-Cookie"}
        self.answers.append(f"{answer.text}\n{headers_shown}")
        return answer

    def get(self, path: str, status: int = 200) -> requests.Response:
        answer = self.send("GET", path)
        assert answer.status_code == status, (path, answer.status_code)
        return answer

    def post(self, path: str, status: int = 302, **form: str) -> requests.Response:
        answer = self.send("POST", path, **form)
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        return answer


class Walk:
    """A walk through the site with secrets, and the texts that the site holds afterwards, by store."""

    def __init__(self, site: Site, server: Stub) -> None:
        self.site, self.server = site, server
        self.answers: list[str] = []
        self.exports: list[str] = []
        self.secrets = {"connection's key": secrets.token_hex(20), "password": secrets.token_hex(12)}
        self.marker = f"marker-{secrets.token_hex(12)}"  # not secret: the search must find it everywhere
        self.api = site.begin()
        self.secrets["API key"] = self.api.http.headers["Authorization"].split("_", 2)[2]
        self.browser = Browser(self.api.address, self.answers)
        self.sign_in()
        self.run = self.score(self.connect())
        self.make_mistakes()
        for kind in ("csv", "jsonl"):
            self.exports.append(self.api.export(self.run, kind))
        site.redis.private.client().hset("planted", "field", self.marker)

    def sign_in(self) -> None:
        """Sign in by a link, set a password, then sign in by the password."""
        link = re.search(r"/signin/link/([^/\s]+)/", self.site.manage(["signin_link"]))
        self.secrets["sign-in link"] = link[1]
        self.browser.get("/signin/")
        self.browser.get(link[0])
        self.browser.post(link[0])
        self.browser.get("/account/")
        password = self.secrets["password"]
        self.browser.post("/account/password/", new_password1=password, new_password2=password)
        self.browser.post("/signout/")
        self.browser.get("/signin/")
        self.browser.post("/signin/", 200, username="admin", password=f"{password}-wrong")
        self.browser.post("/signin/", username="admin", password=password)
        self.secrets["session cookie"] = processes.cookie(self.browser.http.cookies, "session")
        self.browser.get("/account/")

    def connect(self) -> int:
        """Save and test a connection: the server first accepts the key, then refuses it."""
        key = self.secrets["connection's key"]
        saved = {"name": "server", "base_url": self.server.url, "api_key": key}
        location = self.browser.post("/p/default/connections/", **saved).headers["Location"]
        self.browser.get(location)
        self.browser.get(self.browser.post(f"{location}test/", model=MODEL).headers["Location"])
        assert self.received() == f"Bearer {key}"
        self.server.answer = self.echo
        self.browser.get(self.browser.post(f"{location}test/", model=MODEL).headers["Location"])
        return int(re.search(r"\d+", location)[0])

    def received(self) -> str:
        """The Authorization header of the server's last request."""
        return requests.structures.CaseInsensitiveDict(self.server.headers[-1])["Authorization"]

    def echo(self, request: object) -> object:
        """A server's refusal that repeats the key."""
        authorization = self.received()
        return json_reply(
            {"error": {"message": f"Incorrect API key provided: {authorization}", "code": authorization}}, 401
        )

    def score(self, connection: int) -> int:
        """Score a run on an imported dataset, whose texts the server refuses to embed."""
        rows = "".join(json.dumps({"q": f"{n}", "a": self.marker}) + "\n" for n in range(3)).encode()
        mapping = {"inputs": ["q"], "reference": ["a"]}
        dataset = self.api.upload("datasets/", rows, name="canaries", mapping=mapping)["id"]
        self.api.wait_for(f"datasets/{dataset}/", lambda state: state["status"] == "ready")
        config = {"connection": connection, "model": MODEL}
        semantic = {"name": "meaning", "kind": "semantic_similarity", "config": config}
        exact = {"name": "same", "kind": "exact_match"}
        evaluators = [self.api.post("evaluators/", body)["id"] for body in (semantic, exact)]
        body = {"name": "canaries", "dataset": dataset, "evaluators": evaluators}
        experiment = self.api.post("experiments/", body)["id"]
        outputs = [{"position": n, "output": f"{self.marker} {n}"} for n in (1, 2, 3)]
        body = {"experiment": experiment, "variant": "v1", "outputs": outputs, "max_calls": 1_000}
        run = self.api.post("runs/", body)["id"]
        self.api.wait_for(f"runs/{run}/", lambda state: state["status"] == "completed")
        return run

    def make_mistakes(self) -> None:
        """Cause pages and refusals that could repeat sent texts."""
        key, token = self.secrets["connection's key"], self.secrets["sign-in link"]
        made = self.browser.post("/p/default/invitations/", role="viewer").headers["Location"]
        link = re.search(r"/invite/([^/\s\"<]+)/", self.browser.get(made).text)
        self.answers.pop()  # the page that shows the link, this once
        self.secrets["invitation"] = link[1]
        self.browser.get(link[0])
        self.browser.get(f"/runs/{self.run}/?row=1")
        self.browser.get(f"/no/such/{self.marker}/", 404)
        self.browser.get(f"/signin/link/{token}/", 410)
        inside = {"name": "inside", "base_url": "http://10.0.0.1/v1", "api_key": key}
        self.browser.post("/p/default/connections/", 400, **inside)
        for method, path, body in (
            ("POST", "connections/", inside),
            ("POST", "connections/", {"name": 5, "api_key": [key]}),
            ("GET", "datasets/4000000000/", None),
            ("GET", "runs/?cursor=x", None),
        ):
            answer = self.api.once(method, path, json=body)
            assert answer.status_code in (400, 404), (path, answer.text)
            self.answers.append(f"{answer.text}\n{answer.headers}")
        self.answers += [self.api.once("GET", f"runs/{self.run}/{path}").text for path in ("", "results/")]
        stranger = Client(self.api.address, f"evk_{self.marker}")
        self.answers.append(stranger.once("GET", "datasets/").text)

    def stores_of(self, text: str) -> list[str]:
        """The stores that contain a text."""
        stores = {
            "answers": "\n".join(self.answers).encode(),
            "database": b"\n".join(values(self.site.folder / "evalsite.sqlite3")),
            "exports": "\n".join(self.exports).encode(),
            "logs": b"\n".join(path.read_bytes() for path in self.site.folder.glob("*.log")),
            "redis": b"\n".join(redis_values(self.site.redis.private.client())),
        }
        return [store for store in sorted(stores) if text.encode() in stores[store]]


def values(database: Path) -> Iterator[bytes]:
    """All values of all columns of all tables, including Django's and Axes'."""
    with sqlite3.connect(database) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                yield from (value if isinstance(value, bytes) else str(value).encode() for value in row)


def redis_values(client: object) -> Iterator[bytes]:
    """All keys of Redis with their values."""
    readers = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"set": client.smembers,
        b"zset": lambda key: client.zrange(key, 0, -1),
    }
    for key in client.scan_iter():
        kind = client.type(key)
        yield key
        if kind != b"none":  # some exist only for a moment
            yield str(readers[kind](key)).encode()


@pytest.fixture(scope="module")
def walk() -> Iterator[Walk]:
    server, site = Stub(embedded), Site("sqlite")
    try:
        yield Walk(site, server)
    finally:
        site.end()
        server.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_secret_is_in_no_table_log_export_or_answer(walk, name):
    assert len(walk.secrets[name]) >= 20

    assert walk.stores_of(walk.secrets[name]) == []


def test_the_marker_is_found_in_every_store(walk):
    assert walk.stores_of(walk.marker) == STORES


def test_the_provider_refused_with_the_key_and_every_text_says_so(walk):
    page = walk.api.get(f"runs/{walk.run}/results/")

    assert {row["scores"]["meaning"]["status"] for row in page["results"]} == {"error"}
