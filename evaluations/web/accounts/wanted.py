"""The page that a stranger wanted to see, in a cookie that only the pages of signing in get.

A sign-in link knows nothing of it: it came by e-mail, or from a terminal. Whoever could set the cookie could only lead
to another page of this site.
"""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from ..page_tools.frame import local

COOKIE = f"wanted-{settings.COOKIE_SUFFIX}"
LIFETIME = timedelta(hours=1)  # as long as a sign-in link
LONGEST = 2_000  # characters; browsers refuse cookies above 4 096 bytes


def remember(response: HttpResponse, address: str) -> None:
    """Have the browser keep the address, if it is one of a page that was wanted."""
    if address and address.isascii() and len(address) <= LONGEST:
        response.set_cookie(
            COOKIE,
            address,
            max_age=LIFETIME,
            path=reverse("signin"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def page(request: HttpRequest) -> str:
    """The page that was wanted, else home."""
    return local(request, request.COOKIES.get(COOKIE, ""), reverse("home"))


def forget(response: HttpResponse) -> None:
    response.delete_cookie(COOKIE, path=reverse("signin"), samesite="Lax")
