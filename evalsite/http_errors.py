"""Answers to requests that waitress does not pass on to the application, in the shape of the API's errors."""

import json
import logging
import secrets
from http import HTTPStatus
from http.client import responses

from waitress.task import ErrorTask

from evaluations.api.codes import CODES
from evaluations.api.refusals import BY_STATUS, help_link

log = logging.getLogger("evalsite.http")

LONGEST = 200  # characters of a reason, which can quote a header


class HttpError(ErrorTask):
    """The answer to a request that is not HTTP, has too large a head, or uses a feature that we do not offer."""

    def execute(self) -> None:
        problem, request_id = self.request.error, secrets.token_hex(8)
        reason = problem.body[:LONGEST]
        body = json.dumps({"error": _error(problem.code, reason) | {"request_id": request_id}}).encode()
        log.warning("Answered %d: %r [%s]", problem.code, reason, request_id)
        self.status = f"{problem.code} {responses[problem.code]}"
        headers = {"Content-Type": "application/json", "X-Request-ID": request_id}
        headers |= help_link(BY_STATUS[problem.code])
        self.response_headers.extend(headers.items())
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


def _error(status: int, reason: str) -> dict[str, str]:
    """The error object; only of a request that is not HTTP the meaning of the code says too little."""
    code = BY_STATUS[status]
    meaning, remedy = CODES[code]
    is_bad = status == HTTPStatus.BAD_REQUEST
    return {
        "code": code,
        "message": f"The request is not valid HTTP: {reason}." if is_bad else meaning,
        "hint": "Use a program that speaks HTTP/1.1." if is_bad else remedy,
    }
