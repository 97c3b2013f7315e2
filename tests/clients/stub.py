"""A small OpenAI-compatible server inside the test process, which answers as scripted and records requests."""

import base64
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler

import numpy as np

from tests.stub_server import StubServer


def vector(text, size=4):
    """A vector that depends only on the text."""
    digest = sha256(text.encode()).digest()
    return [round(byte / 255 - 0.5, 3) or 0.1 for byte in digest[:size]]


@dataclass
class Reply:
    """A reply. With `drip`, a space every so many seconds instead of the body, as long as the client listens; with
    `parts`, each of them when it is there.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    drip: float | None = None
    parts: Iterable[bytes] | None = None


def json_reply(answer, status=200, **headers):
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return Reply(body, status, {"Content-Type": "application/json"} | headers)


def embedded(request, size=4, encode=list, usage=None):
    """The answer of a working server; `encode=to_base64` gives OpenAI's own format. It has no chat."""
    if "input" not in request:
        return json_reply({"error": {"message": "no such path"}}, 404)
    items = [
        {"object": "embedding", "index": index, "embedding": encode(vector(text, size))}
        for index, text in enumerate(request["input"])
    ]
    return json_reply({"object": "list", "data": items, "usage": usage or {"total_tokens": len(items)}})


def to_base64(values):
    return base64.b64encode(np.array(values, "<f4").tobytes()).decode()


def infinity(request):
    """infinity-emb: base64, `dimensions` and `model` ignored, a 422 that echoes the input; here above 8."""
    if "input" in request and not 0 < len(request["input"]) <= 8:
        return json_reply({"detail": [{"loc": ["body", "input"], "input": request["input"]}]}, 422)
    return embedded(request, encode=to_base64, usage={"prompt_tokens": sum(map(len, request["input"]))})


class Handler(BaseHTTPRequestHandler):
    """One connection to the stub that its server belongs to."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(self.server.stub.models)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request, stub = json.loads(body), self.server.stub
        with stub._lock:
            stub.requests.append(request)
            stub.headers.append(dict(self.headers))
            stub.bodies.append(body)
            stub.paths.append(self.path)
        self.reply(stub.answer(request))

    def reply(self, reply):
        self.send_response(reply.status)
        if reply.parts is not None:
            self.send_parts(reply)
            return
        length = len(reply.body) if reply.drip is None else 4_000
        for name, value in ({"Content-Length": str(length)} | reply.headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if reply.drip is None:
            self.wfile.write(reply.body)
        else:
            self.trickle(reply)

    def send_parts(self, reply):
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for part in reply.parts:
            self.wfile.write(part)

    def trickle(self, reply):
        try:
            while not self.server.stub.closing.wait(reply.drip):
                self.wfile.write(b" ")
        except OSError:
            self.close_connection = True


class Stub:
    """`answer` turns a parsed request into a Reply; all requests are recorded."""

    def __init__(self, answer: Callable = embedded):
        self.answer = answer
        self.models = json_reply({"object": "list", "data": [{"id": "tiny"}]})
        self.requests = []
        self.headers = []
        self.bodies = []
        self.paths = []
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = StubServer(("127.0.0.1", 0), Handler)
        self._server.stub = self
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def sizes(self):
        """The number of texts in each request."""
        return [len(request["input"]) for request in self.requests]

    def close(self):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
