"""A notice of what was done, beside a button that undoes it."""

from django.contrib import messages
from django.http import HttpRequest


def done(request: HttpRequest, text: str, undo: str = "") -> None:
    """Say what was done on the next page; its button posts to `undo`, if that is not empty.

    Django keeps nothing beside a message but its tags, so the address travels there; `kit/_messages.html` reads it.
    """
    messages.success(request, text, extra_tags=undo)
