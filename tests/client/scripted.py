"""A server that gives scripted answers in order, and records the requests."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.stub_server import StubServer


@dataclass
class Answer:
    """A scripted answer; the connection is closed after `cut` bytes of the body."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class SentRequest:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def refusal(status: int, code: str, **more: Any) -> Answer:
    return Answer({"error": {"code": code, "message": f"It is {code}."} | more}, status)


class Scripted:
    def __init__(self, *answers: Answer):
        self.answers = list(answers)
        self.sent: list[SentRequest] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                scripted.sent.append(SentRequest(self.command, self.path, dict(self.headers), body))
                self.reply(scripted.answers.pop(0))

            def reply(self, answer):
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(answer.content)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.content[: answer.cut])
                self.close_connection = answer.cut is not None

            do_GET = do_POST = answer

        self._server = StubServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
