"""Keys and links that a page shows only once, when they are created.

The form that creates one leads to its page, as every form does: a second press leads there too, and *Back* and a reload
send nothing again. The secret goes there in a cookie, sealed for its person, that is deleted when it is shown.
"""

import json
from dataclasses import astuple, dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from evaluations import secretbox

from .request import HttpRequest

COOKIE = f"shown-once-{settings.COOKIE_SUFFIX}"
SECONDS = 60  # until a secret that no page showed is gone


@dataclass(frozen=True)
class ShownOnce:
    title: str
    note: str
    secret: str


def lead_to(request: HttpRequest, address: str, shown: ShownOnce) -> HttpResponse:
    """Lead to a page that shows this; it answers with `page`."""
    answer = HttpResponseRedirect(address)
    answer.set_cookie(
        COOKIE,
        secretbox.seal(request.user.pk, json.dumps(astuple(shown))),
        max_age=SECONDS,
        path=urlsplit(address).path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


def page(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """The page, with what it shows this once."""
    shown = _shown(request)
    response = render(request, template, {**context, "shown_once": shown}, status=status)
    if shown:
        response.delete_cookie(COOKIE, path=request.path, samesite="Lax")
    return response


def _shown(request: HttpRequest) -> ShownOnce | None:
    sealed = request.COOKIES.get(COOKIE)
    if not sealed or request.method != "GET":
        return None
    try:
        return ShownOnce(*json.loads(secretbox.unseal(request.user.pk, sealed)))
    except secretbox.Unreadable:  # of somebody who was signed in here before
        return None
