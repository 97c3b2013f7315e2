"""Middleware that writes the audit log in one place, so that no page and no endpoint can forget it."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpResponse

from evaluations.access import audit
from evaluations.access.addresses import client_address

from ..page_tools.request import HttpRequest

READING = {"GET", "HEAD", "OPTIONS", "TRACE"}
# Signing in and out has entries of its own; the other routes change nothing in a project.
UNRECORDED = {
    "send-call",  # changes nothing
    "upload-discard",  # as a file that expires
    "theme",
    "signin",
    "signin-link",
    "signin-second",
    "signout",
    "connection-test",
    "api-connection-test",
    "api-prompt-render",
    "api-run-verify",
    "api-run-preview",
    "api-dataset-preview",
    "prompt-discard",
    "upload-waiting",
    "webhook-test",
    "api-webhook-test",
    "api-score",
    # labels are facts with a history of their own, which names no rater
    *("api-label-list", "api-labeltask-begin", "api-labeltask-undo"),
    *("label-create", "labeltask-begin", "labeltask-undo", "rater-join"),
}


class Audited:
    """One entry for every request that changed something, stored before it is answered.

    Changes are committed before their entry is written, so a process that dies right after the commit leaves a change
    without its entry. One transaction around a whole request would hold SQLite's lock while files arrive.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in READING:
            return self.get_response(request)
        request.audited_thing = None
        with audit.watching() as watched:
            response = self.get_response(request)
        if _changed(request, response):
            action = audit.action_of(route_of(request), request.method or "")
            # Without an object in the address, the entry is about the project of the key.
            context = request.audited_thing or getattr(request.user, "project", None)
            audit.record_request(request.user, action, context, watched, request.id)
        return response

    def process_view(self, request: HttpRequest, view: Any, args: Any, address: dict[str, Any]) -> None:
        """Load the object before the view runs: the view may delete it."""
        if request.method not in READING:
            request.audited_thing = audit.thing_at(route_of(request), address)
            if "position" in address:
                audit.note(position=address["position"])


def route_of(request: HttpRequest) -> str:
    """The name of the address that was called."""
    return str(request.resolver_match.url_name) if request.resolver_match else ""


def _changed(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether the response reports a change: a redirect or 201; 200 is a form with errors."""
    if response.status_code >= 400 or request.resolver_match is None:
        return False
    if getattr(response, "is_unrecorded", False):  # a preview changes nothing
        return False
    if request.resolver_match.url_name in UNRECORDED or "Idempotent-Replayed" in response:
        return False
    is_page = not request.path_info.startswith("/api/")
    if is_page and response.status_code == 200 and "HX-Redirect" not in response:
        return False
    return request.user is not None and request.user.is_authenticated


# ---- signing in --------------------------------------------------------------------------------------------


@receiver(user_logged_in)
def _signed_in(sender: Any, request: HttpRequest, user: User, **more: Any) -> None:
    _record("signin", request, user)


@receiver(user_logged_out)
def _signed_out(sender: Any, request: HttpRequest, user: User | None, **more: Any) -> None:
    if user:
        _record("signout", request, user)


@receiver(user_login_failed)
def _failed(
    sender: Any, credentials: dict[str, Any], request: HttpRequest | None = None, **more: Any
) -> None:
    """Store a failed sign-in, without an unknown name: people sometimes type a password there."""
    if request is not None:
        _record("signin-failed", request, User.objects.filter(username=credentials.get("username")).first())


def _record(action: str, request: HttpRequest, user: User | None) -> None:
    audit.record_signin(action, user, getattr(request, "id", ""), client_address(request))
