"""What every request passes: it gets an id, and a refusal becomes a page."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluations.errors import Refusal
from evaluations.uploads import check_space

GetResponse = Callable[[HttpRequest], HttpResponse]


def request_id(get_response: GetResponse) -> GetResponse:
    """Names the request; error pages and the header `X-Request-ID` say the name."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        response = get_response(request)
        response["X-Request-ID"] = request.id
        return response

    return middleware


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
    """Refuse a file that the disk has no room for before a byte of it is taken in; the API's views see to theirs."""
    length = request.headers.get("Content-Length", "")
    is_page = not request.path_info.startswith("/api/")
    if is_page and request.content_type == "multipart/form-data" and length.isdigit():
        check_space(int(length))
