"""Middleware for every request: request id, redirect to sign-in, compression, and refusals as pages."""

import secrets
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers

from evaluations import request_ids
from evaluations.errors import Refusal, TooLarge
from evaluations.imports.uploads.uploads import check_space
from evaluations.numerals import whole

from ..page_tools.frame import previous_page
from ..page_tools.request import RATER_LINKS, AnyRequest, HttpRequest

PROBES = ("/healthz", "/readyz", "/metrics")
STRANGERS_BODY = 8 * 1024  # bytes that a client may send without signing in
RATERS_BODY = 64 * 1024  # with the link of a rater: the longest note, in any script
WITHOUT_DATA = {"manual", "manual-page", "manual-image", "api-docs", "api-schema", "error-codes"}
GetResponse = Callable[[HttpRequest], HttpResponse]


def below_path(get_response: GetResponse) -> GetResponse:
    """Find pages below the path of EVALSITE_URL, whether the proxy strips it from the address or keeps it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.PATH and request.path_info == settings.PATH:
            return redirect("home")
        if settings.PATH and request.path_info.startswith(f"{settings.PATH}/"):
            request.path_info = request.path_info.removeprefix(settings.PATH)
            request.path = settings.PATH + request.path_info
        return get_response(request)

    return middleware


def probes(get_response: GetResponse) -> GetResponse:
    """Let the pages for monitoring be asked by any Host: a load balancer names each machine by its address."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info in PROBES:
            request.META["HTTP_HOST"] = "localhost"
        return get_response(request)

    return middleware


def request_id(get_response: GetResponse) -> GetResponse:
    """Give the request an id; error pages and the header `X-Request-ID` show it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        token = request_ids.current.set(request.id)
        try:
            response = get_response(request)
        finally:
            request_ids.current.reset(token)
        response["X-Request-ID"] = request.id
        return response

    return middleware


def never_stored(get_response: GetResponse) -> GetResponse:
    """Forbid caches to keep any answer but those of `WITHOUT_DATA`, so that signing out leaves nothing behind."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        match = request.resolver_match
        if "Cache-Control" not in response and not (match and match.url_name in WITHOUT_DATA):
            add_never_cache_headers(response)
        return response

    return middleware


class SignInFirst(LoginRequiredMiddleware):
    """Redirects to sign-in, and afterwards back to the page.

    Forms return to the page they came from. htmx gets a 401, of which the page tells (`page.js`): it would insert the
    sign-in form into a part of the page, and what is typed there must not be lost. Who came by the link of a rater gets
    to the pages for raters, which check the link.
    """

    def process_view(
        self,
        request: AnyRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: Any,
        view_kwargs: Any,
    ) -> HttpResponseBase | None:
        if getattr(view_func, "is_for_raters", False) and request.session.get(RATER_LINKS):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override] # the stubs know a redirect only
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponse:
        if request.method in ("GET", "HEAD") and not request.htmx:
            return super().handle_no_permission(request, view_func)
        if request.htmx:
            return HttpResponse(status=401)
        return redirect_to_login(previous_page(request), self.get_login_url(view_func))


class CompressPages(GZipMiddleware):
    """Compresses HTML, with padding of random length against BREACH.

    The API is left out, because its ETags have to stay strong; and exports, because it would slow them down.
    """

    def process_response(self, request: AnyRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        return response


class Refusals:
    """Shows a refusal that no form handles as a page: status, message, remedy and a link back.

    The address of a form, opened as a page, says what it is instead of staying white.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            check_upload(request)
        except SignedOut as refusal:
            return HttpResponse(status=401) if request.htmx else _page_of(request, refusal)
        except Refusal as refusal:
            return _page_of(request, refusal)
        response = self.get_response(request)
        if response.status_code == 405 and request.method == "GET" and not response.content:
            response.content = render_to_string("405.html", request=request)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return _page_of(request, exception) if isinstance(exception, Refusal) else None


def _page_of(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    context = {"error": refusal, "back": previous_page(request), "sign_in": settings.LOGIN_URL}
    page = render(request, "site/refusal.html", context, status=refusal.status)
    for name, value in refusal.headers.items():
        page[name] = value
    return page


class SignedOut(Refusal):
    """A form of one of our pages was sent after its session ended; its body is not read."""

    status = 401

    def __init__(self) -> None:
        super().__init__(
            "not_authenticated",
            "You are signed out, and nothing was sent.",
            hint="Sign in again: the page comes back with the texts that you typed. A chosen file cannot be kept; "
            "choose it again.",
        )


def check_upload(request: HttpRequest) -> None:
    """Refuse a body before it is read: a large one or a form of parts without sign-in, files without room on the disk.

    What a stranger may send arrives before a thread serves it, in whatever form. API views check their bodies
    themselves.
    """
    length = whole(request.headers.get("Content-Length") or "")
    if request.path_info.startswith("/api/") or length is None:
        return
    has_parts = request.content_type == "multipart/form-data"
    if (has_parts or length > STRANGERS_BODY) and not _is_known(request, length, has_parts=has_parts):
        if previous_page(request, otherwise="") and not request.path_info.startswith("/accounts/"):
            raise SignedOut
        raise TooLarge("body_too_large", "Sign in before you send files, or more than 8 kB.")
    if has_parts:
        check_space(length)


def _is_known(request: HttpRequest, length: int, *, has_parts: bool) -> bool:
    if request.user.is_authenticated:
        return True
    return not has_parts and length <= RATERS_BODY and bool(request.session.get(RATER_LINKS))
