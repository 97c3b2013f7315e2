"""Pages for server errors: 500, 503 and 507."""

import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from evaluations import full_disk

log = logging.getLogger(__name__)
DATABASE_IS_AWAY = (OperationalError, InterfaceError)
RETRY_AFTER = "5"  # seconds


def server_error(request: HttpRequest) -> HttpResponse:
    """507 if a disk is full, 503 if the database does not respond, else 500. The pages need no user and no database."""
    status = _status(sys.exc_info()[1])
    log.error("request %s ended with %s", getattr(request, "id", "without an id"), status)
    page = render_to_string(f"{status}.html", {"request": request})
    return HttpResponse(page, status=status, headers={"Retry-After": RETRY_AFTER} if status == 503 else None)


def _status(problem: BaseException | None) -> int:
    if full_disk.is_cause_of(problem):
        return 507
    return 503 if isinstance(problem, DATABASE_IS_AWAY) else 500
