"""A small OpenID Connect provider over real HTTP, which signs everybody in as the person chosen by the test.

It checks what a provider must check about its client: id, secret, redirect address and the PKCE verifier.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

from tests.stub_server import StubServer

CLIENT_ID, CLIENT_SECRET = "evalsite", "a secret between the two of us"


class Provider:
    """`person` are the claims about whoever signs in; with `fails` it refuses to issue tokens."""

    def __init__(self) -> None:
        self.person: dict[str, Any] = {}
        self.fails = False
        self.requests: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self, {})

            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.answer(self, {name: values[0] for name, values in parse_qs(form).items()})

            def log_message(self, *args: object) -> None:
                pass

        self.server = StubServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, form: dict[str, str]) -> None:
        address = urlsplit(handler.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path == "/authorize":
            handler.send_response(302)
            handler.send_header("Location", self.authorized(query))
            handler.end_headers()
            return
        content = {
            "/.well-known/openid-configuration": self.configuration,
            "/token": lambda: self.tokens(form),
            "/userinfo": lambda: self.person,
        }[address.path]()
        handler.send_response(200 if content else 400)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        handler.wfile.write(json.dumps(content).encode())

    def configuration(self) -> dict[str, Any]:
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        addresses = {name: f"{self.issuer}/{path}" for name, path in paths.items()}
        return {"issuer": self.issuer, "userinfo_endpoint": f"{self.issuer}/userinfo"} | addresses

    def authorized(self, query: dict[str, str]) -> str:
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.requests[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def tokens(self, form: dict[str, str]) -> dict[str, Any]:
        request = self.requests.pop(form["code"], None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if self.fails or not request or request["code_challenge"] != challenge:
            return {}
        if (form["client_secret"], form["redirect_uri"]) != (CLIENT_SECRET, request["redirect_uri"]):
            return {}
        seconds = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": seconds, "exp": seconds + 60} | self.person
        token = jwt.encode(claims, "only for tests, the client got it directly", headers={"kid": "1"})
        return {"access_token": "x", "token_type": "Bearer", "id_token": token}
