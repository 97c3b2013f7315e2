"""When a page cannot be shown because of us."""

import logging
import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

log = logging.getLogger(__name__)
DATABASE_IS_AWAY = (OperationalError, InterfaceError)
RETRY_AFTER = "5"  # seconds


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 while the database does not answer. Neither page needs a user or the database."""
    away = isinstance(sys.exc_info()[1], DATABASE_IS_AWAY)
    status = 503 if away else 500
    log.error("request %s ended with %s", getattr(request, "id", "without an id"), status)
    page = render_to_string(f"{status}.html", {"request": request})
    return HttpResponse(page, status=status, headers={"Retry-After": RETRY_AFTER} if away else None)
