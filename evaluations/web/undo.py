"""The message after an object was deleted, with an undo button."""

from django.contrib import messages
from django.http import HttpRequest
from django.urls import reverse

from evaluations import owned


def say_deleted(request: HttpRequest, name: str, restore_view: str, key: int | str) -> None:
    """Add a message with an undo button, which posts to `restore_view`."""
    message = f"{name} deleted; can be restored for {owned.UNDO.days} days."
    messages.success(request, message, extra_tags=reverse(restore_view, args=[key]))
