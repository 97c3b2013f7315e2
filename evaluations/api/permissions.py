"""Permission classes: the right that a view needs, checked against the scope of the key."""

from typing import TYPE_CHECKING, Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from evaluations.access import permissions

from .authentication import key_of

if TYPE_CHECKING:  # REST framework imports this module while it defines its views.
    from rest_framework.views import APIView


class Deny(BasePermission):
    """The default permission, which refuses everybody: each view has to name its own."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return False


class Scoped(BasePermission):
    """Requires the right that the view `needs`; a method that the view lacks is a 405."""

    message = "The scope of this key does not allow this."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.auth is None:
            return False
        key = key_of(request)
        if request.method not in view.allowed_methods:
            return True
        right = needed(view, "GET" if request.method == "HEAD" else request.method or "")
        return right is None or right in permissions.allowed(key, key.project)


def needed(view: Any, method: str) -> str | None:
    """The right that a view `needs`: for its action, else for the method."""
    needs: dict[str, str] = view.needs
    return needs.get(getattr(view, "action", None) or "") or needs.get(method)
