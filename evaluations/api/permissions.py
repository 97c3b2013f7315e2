from rest_framework.permissions import BasePermission

from evaluations.access import permissions


class Deny(BasePermission):
    """The default: a view that names no permission lets nobody in."""

    def has_permission(self, request, view) -> bool:
        return False


class Scoped(BasePermission):
    """The key's scope must include what the view's `needs` says of the method; a method it lacks is a 405."""

    message = "The scope of this key does not allow this."

    def has_permission(self, request, view) -> bool:
        if request.auth is None:
            return False
        action = view.needs.get("GET" if request.method == "HEAD" else request.method)
        return action is None or action in permissions.allowed(request.auth, request.auth.project)
