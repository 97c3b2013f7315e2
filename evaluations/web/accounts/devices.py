"""Cookies for devices on which a person has signed in, so that guesses from the same address do not lock them out.

The cookie proves only that somebody knew the password of this name here. It holds no name, and signs nobody in.
"""

from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

COOKIE = f"device-{settings.COOKIE_SUFFIX}"
LIFETIME = timedelta(days=180)

Answer = TypeVar("Answer", bound=HttpResponse)


def recognised(request: HttpRequest, name: str) -> str:
    """An id for devices with this name's cookie, if the request has one; else ""."""
    proof = _proof(name)
    return proof if constant_time_compare(request.COOKIES.get(COOKIE, ""), proof) else ""


def remember(response: Answer, user: AbstractBaseUser) -> Answer:
    """The response with the cookie for this user."""
    response.set_cookie(
        COOKIE,
        _proof(user.get_username()),
        max_age=LIFETIME,
        path=reverse("signin"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def _proof(name: str) -> str:
    return salted_hmac("evaluations.web.devices", name, algorithm="sha256").hexdigest()
