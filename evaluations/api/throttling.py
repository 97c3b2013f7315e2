"""The rate limit of calls with one key."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from evaluations.access import limits


class PerKey(BaseThrottle):
    """At most `EVALSITE_API_RATE` calls a minute with one key; then 429 with Retry-After."""

    seconds = 0

    def allow_request(self, request: Request, view: object) -> bool:
        if request.auth is not None and settings.EVALSITE_API_RATE:
            self.seconds = limits.wait(f"key {request.auth.pk}", settings.EVALSITE_API_RATE)
        return not self.seconds

    def wait(self) -> int:
        return self.seconds
