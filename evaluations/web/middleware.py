"""What every request passes: it gets an id, a stranger is sent to sign in, and a refusal becomes a page."""

import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import HttpResponseClientRedirect

from evaluations.errors import Refusal, TooLarge
from evaluations.imports.uploads import check_space

STRANGERS_BODY = 1024 * 1024  # bytes
GetResponse = Callable[[HttpRequest], HttpResponse]


def request_id(get_response: GetResponse) -> GetResponse:
    """Names the request; error pages and the header `X-Request-ID` say the name."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        response = get_response(request)
        response["X-Request-ID"] = request.id
        return response

    return middleware


class SignInFirst(LoginRequiredMiddleware):
    """Sends whoever is not signed in, or not any more, to do it, and then back to the page they were on.

    What htmx asks for and where forms are sent is no page to come back to. htmx is told to leave the page, for it would
    put the form for signing in where it wanted a part of the page.
    """

    def handle_no_permission(self, request: HttpRequest, view_func: Callable) -> HttpResponse:
        if request.method in ("GET", "HEAD") and not request.htmx:
            return super().handle_no_permission(request, view_func)
        there = redirect_to_login(_page_of(request), self.get_login_url(view_func))
        return HttpResponseClientRedirect(there.url) if request.htmx else there


def _page_of(request: HttpRequest) -> str:
    """The page from which something is asked, as the browser tells it, unless it is another site's."""
    page = request.headers.get("HX-Current-URL") or request.headers.get("Referer")
    if not url_has_allowed_host_and_scheme(page, {request.get_host()}):
        return "/"
    return urlsplit(page)._replace(scheme="", netloc="").geturl()


class CompressPages(GZipMiddleware):
    """Compresses HTML, with padding of random length against BREACH.

    Not the API, whose ETags have to stay strong, nor exports, which it would slow down; a proxy may do that.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        return response


class Refusals:
    """A refusal that no form took becomes a page with its status, its sentence and what helps."""

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
        page = render(request, "refusal.html", {"error": exception}, status=exception.status)
        for name, value in exception.headers.items():
            page[name] = value
        return page


def check_upload(request: HttpRequest) -> None:
    """Refuse a large body from a stranger, or one that the disk has no room for, before it is read.

    The views of the API check theirs.
    """
    length = request.headers.get("Content-Length", "")
    if request.path_info.startswith("/api/") or not length.isdigit():
        return
    if int(length) > STRANGERS_BODY and not request.user.is_authenticated:
        raise TooLarge("body_too_large", "Sign in before you send more than 1 MB.")
    if request.content_type == "multipart/form-data":
        check_space(int(length))
