"""Middleware of every request: a request id, sign-in for strangers, and refusals as pages."""

import secrets
from collections.abc import Callable

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRedirect

from evaluations.errors import Refusal, TooLarge
from evaluations.imports.uploads import check_space

from .frame import previous_page

STRANGERS_BODY = 1024 * 1024  # bytes, without signing in
GetResponse = Callable[[HttpRequest], HttpResponse]


def request_id(get_response: GetResponse) -> GetResponse:
    """Give the request an id; error pages and the header `X-Request-ID` show it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        response = get_response(request)
        response["X-Request-ID"] = request.id
        return response

    return middleware


class SignInFirst(LoginRequiredMiddleware):
    """Redirects to sign-in, and afterwards back to the page.

    Requests of htmx and of forms come back to the page they were sent from. htmx gets a full redirect; else it
    would swap the sign-in form into a part of the page.
    """

    def handle_no_permission(
        self, request: HttpRequest, view_func: Callable[..., HttpResponse]
    ) -> HttpResponse:
        if request.method in ("GET", "HEAD") and not request.htmx:
            return super().handle_no_permission(request, view_func)
        signin = redirect_to_login(previous_page(request), self.get_login_url(view_func))
        return HttpResponseClientRedirect(signin.url) if request.htmx else signin


class CompressPages(GZipMiddleware):
    """Compresses HTML, with padding of random length against BREACH.

    It leaves out the API, whose ETags have to stay strong, and exports, which it would slow down.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        return response


class Refusals:
    """Shows a refusal that no form handles as a page: status, message, remedy and a way back."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            check_upload(request)
        except Refusal as refusal:
            return self.process_exception(request, refusal)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refusal):
            return None
        context = {"error": exception, "back": previous_page(request)}
        page = render(request, "refusal.html", context, status=exception.status)
        for name, value in exception.headers.items():
            page[name] = value
        return page


def check_upload(request: HttpRequest) -> None:
    """Before a body is read, refuse a large one without sign-in, and one for which the disk has no room.

    The views of the API check theirs.
    """
    length = request.headers.get("Content-Length", "")
    if request.path_info.startswith("/api/") or not length.isdigit():
        return
    if int(length) > STRANGERS_BODY and not request.user.is_authenticated:
        raise TooLarge("body_too_large", "Sign in before you send more than 1 MB.")
    if request.content_type == "multipart/form-data":
        check_space(int(length))
