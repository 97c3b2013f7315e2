"""Answers to HEAD: headers without a body, of which neither Django nor waitress takes care.

The bytes of a body would be read as the answer to the next request on the connection.
"""

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from waitress.task import WSGITask


class Task(WSGITask):
    """A task that ends an answer to HEAD without the last chunk, which is a body, too."""

    def write(self, data: bytes) -> None:
        super().write(data)
        if self.request.command == "HEAD":
            self.chunked_response = False


def without_bodies(application: WSGIApplication) -> WSGIApplication:
    """The application, whose answers to HEAD are closed unread."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        if close := getattr(answer, "close", None):
            close()
        return []

    return call
