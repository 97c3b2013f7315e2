from rest_framework.permissions import BasePermission


class Deny(BasePermission):
    """The default: a view that names no permission lets nobody in."""

    def has_permission(self, request, view) -> bool:
        return False
