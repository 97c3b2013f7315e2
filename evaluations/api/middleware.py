"""Middleware that gives every error below /api/ the shape of the API."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from .codes import meaning
from .refusals import BY_STATUS, help_link, shape


def json_errors(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Errors under /api/ from outside our views get the same shape as all others."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or is_json or not request.path_info.startswith("/api/"):
            return response
        code = BY_STATUS.get(response.status_code, "bad_request")
        error = {"code": code, "message": meaning(code)}
        answer = JsonResponse(shape(error, request), status=response.status_code, headers=help_link(code))
        for name in ("Retry-After", "Allow"):
            if name in response:
                answer[name] = response[name]
        return answer

    return middleware
